"""The applications of a job as CSV or JSON."""

import csv
import io
import json
import re

from portal.platform.database.db import Database
from portal.site.forms.fields.text import displayable
from portal.tracker.hiring.application_detail import PERSON, person_of, places, texts
from portal.tracker.hiring.application_list import full_name, inside, of_applicants
from portal.tracker.tables import applications

MOST = 20_000
"""Applications of one export."""
_COLUMNS = ("applied", "name", "email", "phone", "place", "stage")
_FORMULA = re.compile("(^|;)(?=\\s*[-=+@\uff1d\uff0b\uff0d\uff20])")
"""Where a spreadsheet sees a formula begin, if semicolons end its cells too; the last four as Japanese keyboards write
them."""


def as_json(db: Database, tenant_id: int, vacancy_id: str) -> str:
    """Return a list of objects."""
    rows = [dict(zip(_COLUMNS, row, strict=True)) for row in _rows(db, tenant_id, vacancy_id)]
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"


def as_csv(db: Database, tenant_id: int, vacancy_id: str) -> str:
    """Return CSV with a byte order mark, for spreadsheets; no cell is a formula."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(_COLUMNS)
    for row in _rows(db, tenant_id, vacancy_id):
        writer.writerow([_FORMULA.sub(r"\1'", value) for value in row])
    return "\ufeff" + out.getvalue()


def _rows(db: Database, tenant_id: int, vacancy_id: str) -> list[list[str]]:
    """Return the values of _COLUMNS of each application, the oldest first."""
    a = applications.c
    with db.read() as connection:
        stage = inside(connection, a.record, "stage", "name").label("stage")
        query = of_applicants(connection, tenant_id, a.turn, stage, *PERSON).where(a.vacancy_id == vacancy_id)
        rows = connection.execute(query.order_by(a.turn).limit(MOST)).all()
    found = []
    for row in rows:
        person = person_of(row)
        firsts = (texts(person, "emails", "email"), texts(person, "phoneNumbers", "phoneNumber"), places(person))
        email, phone, place = (next(iter(one), "") for one in firsts)
        applied = row.turn.isoformat(timespec="seconds")
        found.append([applied, full_name(row), email, phone, place, displayable(row.stage or "")])
    return found
