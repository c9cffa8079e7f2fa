"""§2.5 and the page of §4.2: candidates as they are read."""

from typing import Annotated

from pydantic import Field

from portal.contract import bounds
from portal.contract.bodies import Gender
from portal.contract.model import ExampleValue, KnownValues, Read, ReadList, Timestamp, view
from portal.contract.shapes import (
    Compensation,
    CustomAttribute,
    EmailEntry,
    LanguageEntry,
    Location,
    NextTask,
    PageInfo,
    PhoneEntry,
    SocialMediaEntry,
    UserBadge,
)


class CandidateName(Read):
    """Wrapper."""

    view_type: str | None = view("candidateName")
    avatar_url: str | None = None
    first_name: str | None = None
    last_name: str | None = None


class CandidateGender(Read):
    """Wrapper."""

    view_type: str | None = view("candidateGender")
    gender: Annotated[str, KnownValues(tuple(Gender))] | None = None


class CandidateNationality(Read):
    """Wrapper."""

    view_type: str | None = view("candidateNationality")
    nationality: ReadList[Annotated[str, ExampleValue()]] | None = None


class CandidateStatus(Read):
    """Wrapper."""

    view_type: str | None = view("candidateStatus")
    status: ReadList[Annotated[str, ExampleValue("actively_looking")]] | None = None


class CandidateEmails(Read):
    """Wrapper."""

    view_type: str | None = view("candidateEmails")
    emails: ReadList[EmailEntry] | None = None


class CandidatePhoneNumbers(Read):
    """Wrapper."""

    view_type: str | None = view("candidatePhoneNumbers")
    phone_numbers: ReadList[PhoneEntry] | None = None


class CandidateLocation(Read):
    """Wrapper."""

    view_type: str | None = view("candidateLocation")
    locations: ReadList[Location] | None = None


class CandidateDateOfBirth(Read):
    """Wrapper."""

    view_type: str | None = view("candidateDateOfBirth")
    date_of_birth: Timestamp | None = None


class CandidateSocialMedia(Read):
    """Wrapper."""

    view_type: str | None = view("candidateSocialMedia")
    social_media: ReadList[SocialMediaEntry] | None = None


class CandidateLastInteractionDate(Read):
    """Wrapper."""

    view_type: str | None = view("candidateLastInteractionDate")
    last_interaction_date: Timestamp | None = None


class CandidateLastInteractionWith(Read):
    """Wrapper; its property is `user`."""

    view_type: str | None = view("candidateLastInteractionWith")
    user: UserBadge | None = None


class CandidateNextInteractionDate(Read):
    """Wrapper."""

    view_type: str | None = view("candidateNextInteractionDate")
    next_interaction_date: Timestamp | None = None


class CandidateNextInteractionWith(Read):
    """Wrapper; its property is `user`."""

    view_type: str | None = view("candidateNextInteractionWith")
    user: UserBadge | None = None


class CandidateMainContact(Read):
    """Wrapper; its property is `user`."""

    view_type: str | None = view("candidateMainContact")
    user: UserBadge | None = None


class CandidateLanguages(Read):
    """Wrapper."""

    view_type: str | None = view("candidateLanguages")
    languages: ReadList[LanguageEntry] | None = None


class CandidateCompensation(Read):
    """Wrapper."""

    view_type: str | None = view("candidateCompensation")
    compensation: Compensation | None = None


class PlacementCompany(Read):
    """Where a candidate is placed."""

    id: str | None = None
    name: str | None = None
    logo_url: str | None = None


class CurrentPlacement(Read):
    """One current placement of a candidate."""

    id: str | None = None
    company: PlacementCompany | None = None
    start_date: Timestamp | None = None
    end_date: Timestamp | None = None


class CandidateCurrentPlacements(Read):
    """Wrapper."""

    view_type: str | None = view("candidateCurrentPlacements")
    has_current_placement: bool | None = None
    placements: ReadList[CurrentPlacement] | None = None


class CandidateNextTaskDue(Read):
    """Wrapper."""

    view_type: str | None = view("candidateNextTaskDue")
    next_task_due: NextTask | None = None


class CandidateAcquisitionSource(Read):
    """Wrapper."""

    view_type: str | None = view("candidateAcquisitionSource")
    acquisition_source: Annotated[str, ExampleValue("manual")] | None = None


class Candidate(Read):
    """§2.5."""

    id: str
    name: CandidateName | None = None
    gender: CandidateGender | None = None
    nationality: CandidateNationality | None = None
    status: CandidateStatus | None = None
    emails: CandidateEmails | None = None
    phone_numbers: CandidatePhoneNumbers | None = None
    locations: CandidateLocation | None = None
    date_of_birth: CandidateDateOfBirth | None = None
    social_media: CandidateSocialMedia | None = None
    last_interaction_date: CandidateLastInteractionDate | None = None
    last_interaction_with: CandidateLastInteractionWith | None = None
    next_interaction_date: CandidateNextInteractionDate | None = None
    next_interaction_with: CandidateNextInteractionWith | None = None
    main_contact: CandidateMainContact | None = None
    languages: CandidateLanguages | None = None
    compensation: CandidateCompensation | None = None
    current_placements: CandidateCurrentPlacements | None = None
    next_task_due: CandidateNextTaskDue | None = None
    created_at: Timestamp | None = None
    modified_at: Timestamp | None = None
    last_activity_date: Timestamp | None = None
    acquisition_source: CandidateAcquisitionSource | None = None
    last_network_diff_at: Timestamp | None = None
    is_diffing_network: bool | None = None
    custom_attributes: ReadList[CustomAttribute] | None = None
    ai_summary: str | None = None


class CandidatePage(Read):
    """§4.2."""

    items: Annotated[list[Candidate], Field(max_length=bounds.PAGE_MAX)]
    page_info: PageInfo
