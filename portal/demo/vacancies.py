"""The demo's data as records of the service: facts in data/SLUG.json, descriptions in data/SLUG/TEXT.html.

The files count days before and after the day of loading, so that a demo loaded next year is as current as today's.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from portal.contract.bodies import EmploymentType, LocationType
from portal.contract.model import Read
from portal.contract.pipeline import PipelineStage
from portal.contract.shapes import Client, ClientTeamMember, CustomAttribute, Location, NextTask, SalaryRange, UserBadge
from portal.contract.vacancies import (
    Scorecard,
    StageTotal,
    VacancyClient,
    VacancyClientTeam,
    VacancyCreatedAt,
    VacancyDescription,
    VacancyDetail,
    VacancyEmploymentType,
    VacancyEndAt,
    VacancyLocation,
    VacancyLocationType,
    VacancyName,
    VacancyNextTaskDue,
    VacancySalaryRange,
    VacancyScorecard,
    VacancyStage,
    VacancyStageTotals,
    VacancyStageView,
    VacancyStartAt,
    VacancyTeam,
)

Days = float
"""Days after midnight (UTC) of the day of loading; negative: before it."""


def _in_the_past(days: Days) -> Days:
    if days > 0:
        raise ValueError("a vacancy is created before it is loaded")
    return days


class _DemoFacts(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", frozen=True)


class _VacancyFacts(_DemoFacts):
    """One vacancy; members that refer to something (place, stage, client, people) hold its key or id."""

    id: str
    text: str
    title: str
    stage: str
    created: Annotated[Days, AfterValidator(_in_the_past)]
    start: Days | None = None
    end: Days | None = None
    place: str | None = None
    employment_type: EmploymentType | None = None
    location_type: LocationType | None = None
    salary: tuple[str, float, float] | None = None
    client: str | None = None
    team: list[str] = Field(default_factory=list)
    client_team: list[str] = Field(default_factory=list)
    scorecards: list[Scorecard] = Field(default_factory=list)
    next_task: tuple[str, Days] | None = None
    custom_attributes: list[CustomAttribute] = Field(default_factory=list)
    client_portal_id: str | None = None
    ranked: Days | None = None
    department: str | None = None


class _CompanyFacts(_DemoFacts):
    """The content of one tenant's file of facts."""

    companies: list[Client]
    users: list[UserBadge]
    contacts: list[ClientTeamMember]
    vacancy_stages: list[VacancyStage]
    stages: list[PipelineStage]
    places: dict[str, Location]
    vacancies: list[_VacancyFacts]


def records(slug: str, now: datetime) -> Iterator[str]:
    """Yield the tenant's records as JSON Lines, `{"kind": "company" | "user" | "stage" | "vacancy", "record": {…}}`.

    slug: `acme` or `globex`. now: aware. What a vacancy refers to comes before it. Record shapes: §2.2, §2.8, §2.4.
    """
    data = files("portal.demo") / "data"
    facts = _CompanyFacts.model_validate_json((data / f"{slug}.json").read_bytes())
    yield from map(partial(_line, "company"), facts.companies)
    yield from map(partial(_line, "user"), facts.users)
    yield from map(partial(_line, "stage"), facts.stages)
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    for vacancy in facts.vacancies:
        yield _line("vacancy", _vacancy(facts, vacancy, data / slug, midnight))


def _line(kind: str, record: Read) -> str:
    return f'{{"kind": "{kind}", "record": {record.model_dump_json(by_alias=True)}}}'


def _vacancy(facts: _CompanyFacts, vacancy: _VacancyFacts, texts: Traversable, midnight: datetime) -> VacancyDetail:
    def at(days: Days | None) -> datetime | None:
        return None if days is None else midnight + timedelta(days=days)

    clients = {client.id: client for client in facts.companies}
    users = {user.user_id: user for user in facts.users}
    contacts = {contact.id: contact for contact in facts.contacts}
    stages = {stage.name: stage for stage in facts.vacancy_stages}
    task = vacancy.next_task
    return VacancyDetail(
        id=vacancy.id,
        client=VacancyClient(client=clients[vacancy.client] if vacancy.client else None),
        name=VacancyName(name=vacancy.title),
        description=VacancyDescription(description=(texts / f"{vacancy.text}.html").read_text(encoding="utf-8")),
        stage=VacancyStageView(stage=stages[vacancy.stage]),
        created_at=VacancyCreatedAt(created_at=at(vacancy.created)),
        start_at=VacancyStartAt(start_at=at(vacancy.start)),
        end_at=VacancyEndAt(end_at=at(vacancy.end)),
        salary_range=VacancySalaryRange(salary_range=_salary(vacancy)),
        location=VacancyLocation(location=facts.places[vacancy.place] if vacancy.place else None),
        team=VacancyTeam(team=[users[key] for key in vacancy.team]),
        employment_type=VacancyEmploymentType(employment_type=vacancy.employment_type),
        location_type=VacancyLocationType(location_type=vacancy.location_type),
        client_team=VacancyClientTeam(client_team=[contacts[key] for key in vacancy.client_team]),
        scorecard=VacancyScorecard(scorecards=vacancy.scorecards),
        next_task_due=VacancyNextTaskDue(
            next_task_due=NextTask(id=f"{vacancy.id}-task", content=task[0], due_date=at(task[1])) if task else None
        ),
        stage_totals=VacancyStageTotals(totals=[_no_applications_yet(stage) for stage in facts.stages]),
        custom_attributes=[*_department(vacancy), *vacancy.custom_attributes],
        client_portal_id=vacancy.client_portal_id,
        last_ranked_at=at(vacancy.ranked),
    )


def _department(vacancy: _VacancyFacts) -> list[CustomAttribute]:
    value = vacancy.department
    return [CustomAttribute(value=value, attribute_definition_id="department", label="Department")] if value else []


def _salary(vacancy: _VacancyFacts) -> SalaryRange | None:
    if vacancy.salary is None:
        return None
    currency, low, high = vacancy.salary
    return SalaryRange(currency=currency, min=low, max=high)


def _no_applications_yet(stage: PipelineStage) -> StageTotal:
    return StageTotal(type=stage.type, id=stage.id, name=stage.name, order=stage.order, total=0)
