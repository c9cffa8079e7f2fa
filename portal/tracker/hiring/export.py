"""The applications of a job as CSV or JSON."""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa

from portal.platform.database.db import Database
from portal.tracker.hiring.notifications import name_of
from portal.tracker.tables import applications, candidates

MOST = 20_000
"""Applications of one export."""
_COLUMNS = ("applied", "name", "email", "phone", "place", "stage")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for a formula at the start of a cell."""


def as_json(db: Database, tenant_id: int, vacancy_id: str) -> str:
    """Return a list of objects."""
    return json.dumps(list(_rows(db, tenant_id, vacancy_id)), ensure_ascii=False, indent=1) + "\n"


def as_csv(db: Database, tenant_id: int, vacancy_id: str) -> str:
    """Return CSV with a byte order mark, for spreadsheets; no cell is a formula."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(_COLUMNS)
    for row in _rows(db, tenant_id, vacancy_id):
        writer.writerow([f"'{value}" if value.startswith(_FORMULA) else value for value in row.values()])
    return "\ufeff" + out.getvalue()


def _rows(db: Database, tenant_id: int, vacancy_id: str) -> Iterator[dict[str, str]]:
    a, c = applications.c, candidates.c
    query: sa.Select[Any] = (
        sa.select(a.turn, a.record, c.record.label("candidate"))
        .outerjoin(candidates, sa.and_(c.tenant_id == a.tenant_id, c.id == a.candidate_id))
        .where(a.tenant_id == tenant_id, a.vacancy_id == vacancy_id)
        .order_by(a.turn)
        .limit(MOST)
    )
    with db.read() as connection:
        for row in connection.execute(query):
            person = json.loads(row.candidate) if row.candidate else {}
            place = next(iter((person.get("locations") or {}).get("locations") or []), None) or {}
            stage = json.loads(row.record).get("stage") or {}
            yield {
                "applied": row.turn.isoformat(timespec="seconds"),
                "name": name_of(row.candidate),
                "email": _first(person, "emails", "email"),
                "phone": _first(person, "phoneNumbers", "phoneNumber"),
                "place": ", ".join(filter(None, (place.get("city"), place.get("country")))),
                "stage": str(stage.get("name") or ""),
            }


def _first(person: dict[str, Any], wrapper: str, name: str) -> str:
    entries = (person.get(wrapper) or {}).get(wrapper) or []
    return str((next(iter(entries), None) or {}).get(name) or "")
