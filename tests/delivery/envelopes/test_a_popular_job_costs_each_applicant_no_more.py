"""SQLite reads as much for one person whether three others or three thousand have applied for the same job before."""

import secrets
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa

from portal.delivery.applications.kind import APPLICATION
from portal.delivery.envelopes import person
from portal.delivery.envelopes.tables import deliveries
from portal.delivery.kinds import KINDS
from tests.delivery.envelopes.desk import Desk, open_desk
from tests.parts.sqlite_steps import steps

OTHERS = 3_000
ADDRESS = "jose@people.example"


def accept_one(desk: Desk) -> None:
    desk.send(desk.filled(secrets.token_hex(16), email=f"{secrets.token_hex(4)}@people.example"))


def list_own(desk: Desk) -> None:
    person.sent_by(desk.db, desk.seal, tenant="acme", kind=APPLICATION.name, email=ADDRESS)


def export_own(desk: Desk) -> None:
    person.deliveries_of(desk.db, desk.seal, KINDS, tenant="acme", email=ADDRESS)


def add_others(desk: Desk) -> None:
    """Add delivered applications of other people for the same job."""
    rows = [
        {
            "reference": secrets.token_hex(10),
            "kind": APPLICATION.name,
            "tenant": "acme",
            "form_id": secrets.token_hex(16),
            "content": secrets.token_hex(32),
            "person": secrets.token_hex(32),
            "about": "job-1",
            "title": "Welder",
            "locale": "en",
            "accepted_at": desk.clock.now(),
            "delivered_at": desk.clock.now(),
        }
        for _ in range(OTHERS)
    ]
    with desk.db.write() as connection:
        connection.execute(sa.insert(deliveries), rows)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    opened = open_desk(f"sqlite:///{tmp_path / 'portal.db'}", tmp_path)
    yield opened
    opened.db.close()


@pytest.mark.parametrize("job", [accept_one, list_own, export_own])
def test_applications_of_others_are_not_read(desk: Desk, job: Callable[[Desk], None]):
    desk.send(desk.filled(secrets.token_hex(16), email=ADDRESS))
    job(desk)
    before = steps(desk.db, partial(job, desk))
    add_others(desk)
    assert steps(desk.db, partial(job, desk)) < 2 * before
