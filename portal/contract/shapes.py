"""§2.1 and §2.2: shapes that several resources share, as they are read."""

from typing import Annotated, Any

from pydantic import Field

from portal.contract.model import ExampleValue, Read, ReadList, Timestamp, view


class Location(Read):
    """§2.1."""

    type: Annotated[str, ExampleValue("primary_home")] | None = None
    street1: str | None = None
    street2: str | None = None
    postal_code: str | None = None
    city: str | None = None
    region: str | None = None
    state: str | None = None
    country: str | None = None
    raw_city_country: str | None = None
    latitude: float | None = None
    longitude: float | None = None
    formatted_address: str | None = None


class UserBadge(Read):
    """§2.2: vacancy team, candidate interaction users."""

    user_id: str | None = None
    name: str | None = None
    email: str | None = None
    avatar_url: str | None = None
    deactivated_at: Timestamp | None = None


class ActorBadge(Read):
    """§2.2: application owner, comment author, internal team, placed-by, last interaction."""

    id: str | None = None
    name: str | None = None
    avatar_url: str | None = None
    deactivated_at: Timestamp | None = None


class Client(Read):
    """§2.2: a company."""

    industry: Annotated[str, ExampleValue()] | None = None
    size: Annotated[str, ExampleValue()] | None = None
    id: str | None = None
    name: str | None = None
    description: str | None = None
    domain: str | None = None
    logo_url: str | None = None


class ClientTeamMember(Read):
    """§2.2."""

    id: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    middle_name: str | None = None
    second_last_name: str | None = None
    avatar_url: str | None = None
    candidate_id: str | None = None
    company_id: str | None = None
    company_name: str | None = None
    company_logo_url: str | None = None


class SalaryRange(Read):
    """§2.2."""

    currency: Annotated[str, ExampleValue()] | None = None
    min: float | None = None
    max: float | None = None


class EmailEntry(Read):
    """§2.2."""

    purpose: Annotated[str, ExampleValue("personal")] | None = None
    email: str | None = None
    is_primary: bool | None = None


class PhoneEntry(Read):
    """§2.2."""

    purpose: Annotated[str, ExampleValue("personal")] | None = None
    phone_number: str | None = None
    is_primary: bool | None = None


class SocialMediaEntry(Read):
    """§2.2."""

    url: str | None = None
    type: Annotated[str, ExampleValue("PROFESSIONAL_NETWORK")] | None = None
    is_primary: bool | None = None


class LanguageEntry(Read):
    """§2.2."""

    id: str | None = None
    language: str | None = None
    fluency: Annotated[str, ExampleValue()] | None = None


class Compensation(Read):
    """§2.2."""

    id: str | None = None
    currency: Annotated[str, ExampleValue()] | None = None
    total_compensation: float | None = None
    base_compensation: float | None = None


class CustomAttribute(Read):
    """§2.2: `value` is of any type."""

    value: Any = None
    attribute_definition_id: str | None = None
    label: str | None = None
    description: str | None = None
    filled_by_ai: bool | None = Field(default=None, alias="filledByAI")
    options: ReadList[str] | None = None


class NextTask(Read):
    """§2.2."""

    id: str | None = None
    content: str | None = None
    due_date: Timestamp | None = None


class Interview(Read):
    """§2.2."""

    id: str | None = None
    title: str | None = None
    meeting_id: str | None = None
    start_time: Timestamp | None = None
    end_time: Timestamp | None = None


class StageStatus(Read):
    """§2.2, `status` of an application stage."""

    id: str | None = None
    name: str | None = None
    color_hex: str | None = None


class ApplicationStage(Read):
    """§2.2."""

    type: Annotated[str, ExampleValue("speculative")] | None = None
    template_type: Annotated[str, ExampleValue("DEFAULT_SPECULATIVE")] | None = None
    view_type: str | None = view("applicationStage")
    id: str | None = None
    name: str | None = None
    order: float | None = None
    status: StageStatus | None = None
    color_hex: str | None = None
    template_id: str | None = None


class PageInfo(Read):
    """§4.1, §4.2: `hasNextPage` is always present; `nextCursor` means something only when it is true."""

    next_cursor: str | None = None
    has_next_page: bool
