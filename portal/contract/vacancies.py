"""§2.3, §2.4 and the page of §4.1: vacancies as they are read."""

from typing import Annotated

from pydantic import Field

from portal.contract import bounds
from portal.contract.bodies import EmploymentType, LocationType
from portal.contract.model import ExampleValue, KnownValues, Read, ReadList, Timestamp, view
from portal.contract.shapes import (
    Client,
    ClientTeamMember,
    CustomAttribute,
    Location,
    NextTask,
    PageInfo,
    SalaryRange,
    UserBadge,
)


class VacancyClient(Read):
    """Wrapper."""

    view_type: str | None = view("vacancyClient")
    client: Client | None = None


class VacancyName(Read):
    """Wrapper."""

    view_type: str | None = view("vacancyName")
    name: str | None = None


class VacancyDescription(Read):
    """Wrapper; the description is HTML as recruiters paste it."""

    view_type: str | None = view("vacancyDescription")
    description: str | None = None


class VacancyStage(Read):
    """The current stage of a vacancy."""

    id: str | None = None
    order: float | None = None
    name: str | None = None
    color_hex: str | None = None


class VacancyStageView(Read):
    """Wrapper."""

    view_type: str | None = view("vacancyStage")
    stage: VacancyStage | None = None


class VacancyCreatedAt(Read):
    """Wrapper."""

    view_type: str | None = view("vacancyCreatedAt")
    created_at: Timestamp | None = None


class VacancyStartAt(Read):
    """Wrapper."""

    view_type: str | None = view("vacancyStartAt")
    start_at: Timestamp | None = None


class VacancyEndAt(Read):
    """Wrapper."""

    view_type: str | None = view("vacancyEndAt")
    end_at: Timestamp | None = None


class VacancySalaryRange(Read):
    """Wrapper."""

    view_type: str | None = view("vacancySalaryRange")
    salary_range: SalaryRange | None = None


class VacancyLocation(Read):
    """Wrapper."""

    view_type: str | None = view("vacancyLocation")
    location: Location | None = None


class VacancyTeam(Read):
    """Wrapper."""

    view_type: str | None = view("vacancyTeam")
    team: ReadList[UserBadge] | None = None


class VacancyEmploymentType(Read):
    """Wrapper."""

    view_type: str | None = view("vacancyEmploymentType")
    employment_type: Annotated[str, KnownValues(tuple(EmploymentType))] | None = None


class VacancyLocationType(Read):
    """Wrapper."""

    view_type: str | None = view("vacancyLocationType")
    location_type: Annotated[str, KnownValues(tuple(LocationType))] | None = None


class VacancyClientTeam(Read):
    """Wrapper; its constant is ours."""

    view_type: str | None = view("vacancyClientTeam", chosen=True)
    client_team: ReadList[ClientTeamMember] | None = None


class ScorecardAttribute(Read):
    """One thing to score."""

    attribute: str | None = None


class Scorecard(Read):
    """A group of things to score."""

    group_name: str | None = Field(default=None, alias="group_name")
    attributes: ReadList[ScorecardAttribute] | None = None


class VacancyScorecard(Read):
    """Wrapper."""

    view_type: str | None = view("vacancyScorecard")
    scorecards: ReadList[Scorecard] | None = None


class VacancyNextTaskDue(Read):
    """Wrapper."""

    view_type: str | None = view("vacancyNextTaskDue")
    next_task_due: NextTask | None = None


class Vacancy(Read):
    """§2.3."""

    id: str
    client: VacancyClient | None = None
    name: VacancyName | None = None
    description: VacancyDescription | None = None
    stage: VacancyStageView | None = None
    created_at: VacancyCreatedAt | None = None
    start_at: VacancyStartAt | None = None
    end_at: VacancyEndAt | None = None
    salary_range: VacancySalaryRange | None = None
    location: VacancyLocation | None = None
    team: VacancyTeam | None = None
    employment_type: VacancyEmploymentType | None = None
    location_type: VacancyLocationType | None = None
    client_team: VacancyClientTeam | None = None
    scorecard: VacancyScorecard | None = None
    next_task_due: VacancyNextTaskDue | None = None


class StageTotal(Read):
    """How many applications stand in one stage."""

    type: Annotated[str, ExampleValue("speculative")] | None = None
    id: str | None = None
    name: str | None = None
    order: float | None = None
    total: float | None = None


class VacancyStageTotals(Read):
    """Wrapper."""

    view_type: str | None = view("vacancyStageTotals")
    totals: ReadList[StageTotal] | None = None


class VacancyDetail(Vacancy):
    """§2.4."""

    stage_totals: VacancyStageTotals | None = None
    custom_attributes: ReadList[CustomAttribute] | None = None
    client_portal_id: str | None = None
    last_ranked_at: Timestamp | None = None


class VacancyPage(Read):
    """§4.1: both members are always present."""

    items: Annotated[list[Vacancy], Field(max_length=bounds.PAGE_MAX)]
    page_info: PageInfo


class CreatedVacancy(Read):
    """§4.4: the id of the new vacancy."""

    id: str
