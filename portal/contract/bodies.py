"""§4.4, §4.5, §4.8 and §4.10: request bodies. Strict: unknown members are rejected and types are not converted.

A member of the four bodies may be null only where the document says so. In nested entries every optional member may be
null: the service responds with null there, so what was read can be sent back. Entries whose members are those of a
shape that is read derive from it; its members are declared there.
"""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from portal.contract import bounds, shapes
from portal.contract.model import ExampleValue, OptionalNotNull, SentList, SentTimestamp, Write


class EmploymentType(StrEnum):
    """§2.3."""

    FULL_TIME = "fullTime"
    PART_TIME = "partTime"
    TEMPORARY = "temporary"
    INTERNSHIP = "internship"


class LocationType(StrEnum):
    """§2.3."""

    REMOTE = "remote"
    HYBRID = "hybrid"
    ONSITE = "onsite"


class VacancyStatus(StrEnum):
    """§3."""

    OPEN = "open"
    FILLED = "filled"
    LOST = "lost"
    CLOSED = "closed"
    HOLD = "hold"


class Gender(StrEnum):
    """§2.5."""

    MALE = "male"
    FEMALE = "female"


class SentAcquisitionSource(StrEnum):
    """§4.5: the single value."""

    SOURCING_TOOL = "sourcing_tool"


FromJson = Field(strict=False)
"""An enum is a string in JSON, so strict mode is off here; anything but one of its values is still rejected."""

Name = Annotated[str, Field(min_length=bounds.NAME_MIN, max_length=bounds.NAME_MAX)]
AttachmentId = Annotated[str, Field(min_length=bounds.ATTACHMENT_ID_MIN, max_length=bounds.ATTACHMENT_ID_MAX)]
Email = Annotated[
    str,
    Field(min_length=bounds.EMAIL_MIN, max_length=bounds.EMAIL_MAX, json_schema_extra={"format": "email"}),
]
NetworkUrl = Annotated[
    str,
    Field(
        min_length=bounds.NETWORK_URL_MIN,
        max_length=bounds.NETWORK_URL_MAX,
        json_schema_extra={"format": "uri"},
    ),
]


class VacancyLocationBody(Write):
    """§2.1: the part of a location that is sent to create a vacancy."""

    type: Annotated[str, ExampleValue("primary_home")] | None = None
    street1: str | None = None
    street2: str | None = None
    postal_code: str | None = None
    city: str | None = None
    region: str | None = None
    state: str | None = None
    country: str | None = None
    latitude: float | None = None
    longitude: float | None = None


class LocationBody(VacancyLocationBody):
    """§2.1, whole."""

    raw_city_country: str | None = None
    formatted_address: str | None = None


class SalaryRangeBody(shapes.SalaryRange, Write):
    """§4.4."""


class EmailEntryBody(shapes.EmailEntry, Write):
    """§2.2."""

    email: Annotated[str, Field(json_schema_extra={"format": "email"})]


class PhoneEntryBody(shapes.PhoneEntry, Write):
    """§2.2."""

    phone_number: str


class SocialMediaEntryBody(shapes.SocialMediaEntry, Write):
    """§2.2."""

    url: str


class LanguageEntryBody(shapes.LanguageEntry, Write):
    """§2.2."""


class CompensationBody(shapes.Compensation, Write):
    """§2.2."""


class CustomAttributeBody(shapes.CustomAttribute, Write):
    """§2.2."""

    options: SentList[str] | None = None


class NewVacancy(Write):
    """§4.4."""

    status: Annotated[VacancyStatus, FromJson]
    name: str
    description: str | None
    salary_range: SalaryRangeBody
    location: VacancyLocationBody
    start_at: SentTimestamp | None
    end_at: SentTimestamp | None
    team_user_ids: SentList[str]
    client_team_user_ids: SentList[str]
    employment_type: Annotated[EmploymentType, FromJson] | None = None
    location_type: Annotated[LocationType, FromJson] | None = None
    stage_id: OptionalNotNull[str] = None


class EducationBody(Write):
    """§4.5."""

    degree: Annotated[str, ExampleValue()] | None = None
    company_id: str | None = None
    field_of_study: str | None = None
    grade: str | None = None
    description: str | None = None
    start_date: SentTimestamp | None = None
    end_date: SentTimestamp | None = None


class WorkExperienceBody(Write):
    """§4.5."""

    company_id: str | None = None
    job_title: str | None = None
    location: LocationBody | None = None
    description: str | None = None
    start_date: SentTimestamp | None = None
    end_date: SentTimestamp | None = None


class MainContactBody(Write):
    """§4.5."""

    user_id: str


class NewCandidate(Write):
    """§4.5."""

    first_name: str
    last_name: str
    gender: Annotated[Gender, FromJson] | None = None
    nationality: SentList[Annotated[str, ExampleValue()]] = Field(default_factory=list)
    status: SentList[Annotated[str, ExampleValue("actively_looking")]] = Field(default_factory=list)
    acquisition_source: OptionalNotNull[Annotated[SentAcquisitionSource, FromJson]] = None
    avatar_url: str | None = None
    emails: SentList[EmailEntryBody] = Field(default_factory=list)
    phone_numbers: SentList[PhoneEntryBody] = Field(default_factory=list)
    locations: SentList[LocationBody] = Field(default_factory=list)
    date_of_birth: SentTimestamp | None = None
    social_media: SentList[SocialMediaEntryBody] = Field(default_factory=list)
    education: SentList[EducationBody] = Field(default_factory=list)
    work_experiences: SentList[WorkExperienceBody] = Field(default_factory=list)
    custom_attributes: SentList[CustomAttributeBody] = Field(default_factory=list)
    main_contact: OptionalNotNull[MainContactBody] = None
    languages: SentList[LanguageEntryBody] = Field(default_factory=list)
    compensation: OptionalNotNull[CompensationBody] = None


class Submission(Write):
    """§4.8: an application to a job posting. Every member is required; `networkUrl` may be null."""

    network_url: NetworkUrl | None
    first_name: Name
    last_name: Name
    cv_attachment_id: AttachmentId
    email: Email
    phone_number: str
    location: LocationBody


class CandidateUpdate(Write):
    """§4.10: lists that are sent replace, lists that are absent stay."""

    first_name: Name
    last_name: Name
    latest_cv_attachment_id: OptionalNotNull[AttachmentId] = None
    emails: OptionalNotNull[SentList[EmailEntryBody]] = None
    phone_numbers: OptionalNotNull[SentList[PhoneEntryBody]] = None
    social_media: OptionalNotNull[SentList[SocialMediaEntryBody]] = None
