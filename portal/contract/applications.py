"""§2.6, §2.7 and the response of §4.6: applications as they are read."""

from typing import Annotated

from pydantic import Field

from portal.contract import bounds
from portal.contract.model import ExampleValue, KnownValues, Read, ReadList, Timestamp, view
from portal.contract.shapes import (
    ActorBadge,
    ApplicationStage,
    Client,
    ClientTeamMember,
    EmailEntry,
    Interview,
    Location,
)
from portal.contract.vacancies import VacancyDetail

APPLICATION_TYPES = ("speculativeApplication", "standardApplication")


class LatestActivity(Read):
    """One of seven variants, of which the document shows `applicationCreated`."""

    type: Annotated[str, ExampleValue("applicationCreated")] | None = None
    is_inbound: bool | None = None
    date: Timestamp | None = None
    triggered_by_user_id: str | None = None
    triggered_by_user_name: str | None = None
    triggered_by_user_avatar_url: str | None = None


class Comment(Read):
    """A comment on an application."""

    id: str | None = None
    content: str | None = None
    can_edit: bool | None = None
    created_by: ActorBadge | None = None
    created_at: Timestamp | None = None
    modified_at: Timestamp | None = None


class ApplicationPerson(Read):
    """`candidate` of §2.6."""

    id: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    middle_name: str | None = None
    second_last_name: str | None = None
    avatar_url: str | None = None
    last_interaction_with: ActorBadge | None = None
    last_interaction_date: Timestamp | None = None
    emails: ReadList[EmailEntry] | None = None


class Rejection(Read):
    """Why an application was turned down."""

    id: str | None = None
    application_id: str | None = None
    created_at: Timestamp | None = None
    modified_at: Timestamp | None = None
    reason: str | None = None
    created_by: ActorBadge | None = None


class InternalTeam(Read):
    """Wrapper; its constant is ours."""

    view_type: str | None = view("applicationInternalTeam", chosen=True)
    internal_team: ReadList[ActorBadge] | None = None


class Note(Read):
    """A note's head."""

    note_id: str | None = None
    title: str | None = None
    created_at: Timestamp | None = None


class ApplicationNotes(Read):
    """Wrapper; its constant is ours."""

    view_type: str | None = view("applicationNotes", chosen=True)
    notes: ReadList[Note] | None = None


class ApplicationOwner(Read):
    """Wrapper."""

    view_type: str | None = view("applicationOwner")
    owner: ActorBadge | None = None


class ApplicationState(Read):
    """Wrapper; its constant is ours."""

    state: Annotated[str, ExampleValue("for-review")] | None = None
    view_type: str | None = view("applicationState", chosen=True)


class PlacementFee(Read):
    """The fee for a placement."""

    fee_currency: Annotated[str, ExampleValue()] | None = None
    fee_income: float | None = None


class Placement(Read):
    """A placement that resulted from an application."""

    id: str | None = None
    placed_by_user_badge: ActorBadge | None = None
    placed_at: Timestamp | None = None
    start_date: Timestamp | None = None
    end_date: Timestamp | None = None
    fee: PlacementFee | None = None


class ApplicationClient(Read):
    """Wrapper; its constant is ours."""

    view_type: str | None = view("applicationClient", chosen=True)
    client: Client | None = None


class ApplicationClientTeam(Read):
    """Wrapper; its constant is ours."""

    view_type: str | None = view("applicationClientTeam", chosen=True)
    client_team: ReadList[ClientTeamMember] | None = None


class ApplicationVacancy(Read):
    """`vacancy` of §2.6."""

    status: Annotated[str, ExampleValue("open")] | None = None
    view_type: str | None = view("applicationVacancy")
    id: str | None = None
    title: str | None = None
    description: str | None = None
    location: Location | None = None
    client: Client | None = None


class Application(Read):
    """§2.6."""

    id: str
    candidate_application_type: Annotated[str, KnownValues(APPLICATION_TYPES)] | None = None
    latest_activity: LatestActivity | None = None
    comments: ReadList[Comment] | None = None
    interviews: ReadList[Interview] | None = None
    candidate: ApplicationPerson | None = None
    rejection: Rejection | None = None
    internal_team: InternalTeam | None = None
    notes: ApplicationNotes | None = None
    stage: ApplicationStage | None = None
    owner: ApplicationOwner | None = None
    application_state: ApplicationState | None = None
    placements: ReadList[Placement] | None = None
    comment_count: float | None = None
    client: ApplicationClient | None = None
    client_team: ApplicationClientTeam | None = None
    vacancy: ApplicationVacancy | None = None


class WorkExperienceSummary(Read):
    """`lastWorkExperience` of §2.7."""

    company_size: Annotated[str, ExampleValue()] | None = None
    id: str | None = None
    company_name: str | None = None
    company_id: str | None = None
    job_title: str | None = None
    description: str | None = None
    start_date: Timestamp | None = None
    end_date: Timestamp | None = None


class ApplicationCandidate(Read):
    """`candidate` of §2.7; here `emails` are bare strings."""

    view_type: str | None = view("applicationCandidate")
    id: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    avatar_url: str | None = None
    emails: ReadList[str] | None = None
    last_work_experience: WorkExperienceSummary | None = None
    last_activity_at: Timestamp | None = None
    last_interaction_with: ActorBadge | None = None
    last_interaction_date: Timestamp | None = None


class ApplicationSummary(Read):
    """§2.7."""

    id: str
    latest_activity: LatestActivity | None = None
    stage: ApplicationStage | None = None
    owner: ApplicationOwner | None = None
    candidate: ApplicationCandidate | None = None
    is_placed: bool | None = None
    application_state: ApplicationState | None = None
    note_count: float | None = None
    comment_count: float | None = None
    uncompleted_task_count: float | None = None
    next_interview: Interview | None = None


class VacancyApplications(Read):
    """§4.6."""

    vacancy: VacancyDetail
    applications: Annotated[list[ApplicationSummary], Field(max_length=bounds.APPLICATIONS_MAX)]
