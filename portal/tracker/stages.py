"""Pipeline stages of applications (§2.8, §4.9) and stages of vacancies, including the defaults of a new tenant."""

import json
from collections.abc import Iterable

import sqlalchemy as sa

from portal.contract.pipeline import PipelineStage
from portal.contract.shapes import ApplicationStage
from portal.contract.vacancies import VacancyStage, VacancyStageTotals
from portal.tracker import upsert
from portal.tracker.shapes import Json, completed, written
from portal.tracker.tables import applications, stages, tenants, vacancy_stages

_TEMPLATE = "default-standard"
_DEFAULTS = (
    # id, type, name, colour, and the label: (state of an application in this stage, its name)
    ("new", "new", "New", "#2563eb", ("for-review", "For review")),
    ("screening", "screening", "Screening", "#7c3aed", ("in-progress", "In progress")),
    ("interview", "interview", "Interview", "#c2410c", ("in-progress", "In progress")),
    ("offer", "offer", "Offer", "#0f766e", ("in-progress", "In progress")),
    ("hired", "hired", "Hired", "#15803d", ("hired", "Hired")),
    ("rejected", "rejected", "Rejected", "#6b7280", ("rejected", "Rejected")),
)
_VACANCY_DEFAULTS = (
    ("open", "Open", "#15803d"),
    ("filled", "Filled", "#2563eb"),
    ("lost", "Lost", "#b91c1c"),
    ("closed", "Closed", "#6b7280"),
    ("on-hold", "On hold", "#c2410c"),
)
_NAME_OF_STATUS = {"open": "open", "filled": "filled", "lost": "lost", "closed": "closed", "hold": "on hold"}
_STATUS_OF_NAME = {"filled": "filled", "lost": "lost", "closed": "closed", "on hold": "hold", "hold": "hold"}


def start(connection: sa.Connection, tenant_id: int) -> None:
    """Store the default stages for a new tenant."""
    records = [_default(*facts, order) for order, facts in enumerate(_DEFAULTS)]
    _store(connection, tenant_id, records, is_default=True)
    remember_vacancy_stages(
        connection,
        tenant_id,
        [
            {"id": known_as, "order": order, "name": name, "colorHex": colour}
            for order, (known_as, name, colour) in enumerate(_VACANCY_DEFAULTS)
        ],
    )
    renew_board(connection, tenant_id)


def load(connection: sa.Connection, tenant_id: int, records: list[Json]) -> None:
    """Store stages from a file. They replace the default stages that no application uses."""
    used = sa.select(applications.c.stage_id).where(
        applications.c.tenant_id == tenant_id, applications.c.stage_id.is_not(None)
    )
    connection.execute(
        sa.delete(stages).where(stages.c.tenant_id == tenant_id, stages.c.is_default, stages.c.id.not_in(used))
    )
    _store(connection, tenant_id, [completed(PipelineStage, record) for record in records], is_default=False)
    renew_board(connection, tenant_id)


def listed(connection: sa.Connection, tenant_id: int, template_id: str | None) -> str:
    """Return the JSON response of §4.9. template_id: only the stages of that template."""
    statement = sa.select(stages.c.record).where(stages.c.tenant_id == tenant_id)
    if template_id is not None:
        statement = statement.where(stages.c.template_id == template_id)
    records = connection.execute(statement.order_by(stages.c.position, stages.c.id)).scalars()
    return '{"stages":[' + ",".join(records) + "]}"


def renew_board(connection: sa.Connection, tenant_id: int) -> None:
    """Recompute what is stored with the tenant because it is read most often.

    That is the stage totals of a vacancy without applications (§2.4), and the stage of a new application.
    """
    rows = connection.execute(
        sa.select(stages.c.record).where(stages.c.tenant_id == tenant_id).order_by(stages.c.position, stages.c.id)
    ).scalars()
    records = [json.loads(row) for row in rows]
    copied = ("type", "id", "name", "order")
    entries = [{name: record[name] for name in copied} | {"total": 0} for record in records]
    board = written(completed(VacancyStageTotals, {"totals": entries}))
    connection.execute(
        sa.update(tenants).where(tenants.c.id == tenant_id).values(board=board, first_stage=written(_first(records)))
    )


def _first(records: list[Json]) -> Json:
    """Return the application stage (§2.2) in which a submission starts: the first that is not for speculative ones."""
    return _of_application(
        next((one for one in records if one["type"] != "speculative"), records[0] if records else {})
    )


def stage_of_application(connection: sa.Connection, tenant_id: int, stage_id: str) -> Json | None:
    """Return the application stage (§2.2) of the pipeline stage with this id, or None."""
    query = sa.select(stages.c.record).where(stages.c.tenant_id == tenant_id, stages.c.id == stage_id)
    found = connection.scalar(query)
    return None if found is None else _of_application(json.loads(found))


def _of_application(chosen: Json) -> Json:
    label = next(iter(chosen.get("labels") or []), None)
    copied = ("type", "templateType", "id", "name", "order", "colorHex", "templateId")
    status = {name: label.get(name) for name in ("id", "name", "colorHex")} if label else None
    return completed(ApplicationStage, {name: chosen.get(name) for name in copied} | {"status": status})


def remember_vacancy_stages(connection: sa.Connection, tenant_id: int, records: Iterable[Json]) -> None:
    """Store vacancy stages that were found in records."""
    rows = {
        record["id"]: {
            "tenant_id": tenant_id,
            "id": record["id"],
            "name": (record.get("name") or "").casefold(),
            "record": written(completed(VacancyStage, record)),
        }
        for record in records
        if isinstance(record.get("id"), str)
    }
    upsert.put(connection, vacancy_stages, list(rows.values()))


def vacancy_stage(connection: sa.Connection, tenant_id: int, stage_id: str) -> Json | None:
    """Return the vacancy stage with this id, or None."""
    found = connection.execute(
        sa.select(vacancy_stages.c.record).where(
            vacancy_stages.c.tenant_id == tenant_id, vacancy_stages.c.id == stage_id
        )
    ).scalar()
    return None if found is None else json.loads(found)


def stage_of_status(connection: sa.Connection, tenant_id: int, status: str) -> Json:
    """Return the vacancy stage named after a status; the tenant's own stage takes precedence over the default one."""
    ours = [known_as for known_as, _, _ in _VACANCY_DEFAULTS]
    found = connection.execute(
        sa.select(vacancy_stages.c.record)
        .where(vacancy_stages.c.tenant_id == tenant_id, vacancy_stages.c.name == _NAME_OF_STATUS[status])
        .order_by(vacancy_stages.c.id.in_(ours), vacancy_stages.c.id)
    ).scalars()
    record: Json = json.loads(next(iter(found)))
    return record


def status_of(stage: Json | None) -> str:
    """Return the status that a vacancy stage's name stands for.

    Any other name counts as open: a stage of the tenant's own making is one in which people may apply.
    """
    name = (stage or {}).get("name")
    return _STATUS_OF_NAME.get(name.casefold() if isinstance(name, str) else "", "open")


def _default(known_as: str, kind: str, name: str, colour: str, label: tuple[str, str], order: int) -> Json:
    return completed(
        PipelineStage,
        {
            "id": known_as,
            "type": kind,
            "templateType": "DEFAULT_STANDARD",
            "templateId": _TEMPLATE,
            "countForAnalytics": kind != "rejected",
            "labels": [{"id": label[0], "name": label[1], "colorHex": colour, "order": 0}],
            "order": order,
            "name": name,
            "colorHex": colour,
        },
    )


def _store(connection: sa.Connection, tenant_id: int, records: list[Json], *, is_default: bool) -> None:
    rows = [
        {
            "tenant_id": tenant_id,
            "id": record["id"],
            "position": float(record["order"] or 0),
            "template_id": record["templateId"],
            "is_default": is_default,
            "record": written(record),
        }
        for record in records
    ]
    upsert.put(connection, stages, rows)
