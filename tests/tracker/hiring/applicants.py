"""Applicants with CVs, for the tests of the pages that show them."""

import io
from typing import Any

import sqlalchemy as sa

from portal.tracker.tables import applications
from tests.tracker.hiring.site import HiringSite
from tests.tracker.office import Office

PDF = b"%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n"


def apply(site: HiringSite, vacancy: str, *, cv: bytes | None = PDF, key: str = "cv-1", **changes: Any) -> str:
    """Apply with a CV; return the application's id."""
    if cv is not None:
        assert site.services.store
        site.services.store.put(f"acme/{key}", io.BytesIO(cv), size=len(cv), media_type="text/html", filename="x")
    answer = site.office.apply(vacancy, **({"cvAttachmentId": f"acme/{key}"} | changes))
    assert answer.status_code == 201, answer.text
    return newest(site.office, vacancy)


def newest(office: Office, vacancy: str) -> str:
    """Return the id of the job's newest application."""
    a = applications.c
    with office.database.read() as connection:
        query = sa.select(a.id).where(a.vacancy_id == vacancy).order_by(a.turn.desc()).limit(1)
        return str(connection.scalar(query))


def as_read(office: Office, application: str) -> dict[str, Any]:
    """Return the application as the documented interface shows it."""
    found: dict[str, Any] = office.recruiter.get(f"/applications/{application}").json()
    return found


def totals(office: Office, vacancy: str) -> dict[str, int]:
    """Return the interface's number of applications by stage, without zeros."""
    answer = office.recruiter.get(f"/vacancies/{vacancy}").json()
    return {one["id"]: one["total"] for one in answer["stageTotals"]["totals"] if one["total"]}
