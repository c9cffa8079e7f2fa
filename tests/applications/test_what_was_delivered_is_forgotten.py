"""After the purge age nothing personal is left in any file of the data folder; the reference and the CV stay."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from portal.applications import purge, receipt, uploads
from portal.applications.accept import KIND
from portal.applications.model import ReceiptState
from portal.applications.tables import submissions
from portal.letters.tables import letters
from portal.outbox import queue
from portal.outbox.states import State
from portal.outbox.tables import outbox
from tests.applications.desk import Desk, open_desk
from tests.schemas import PORTAL, sqlite_copy

FORM = "1" * 32
CANARY = "Canarywharf"


def deliver(desk: Desk) -> None:
    with desk.db.write() as connection:
        connection.execute(outbox.update().values(state=State.DELIVERED))
        connection.execute(submissions.update().values(delivered_at=desk.clock.now()))
        connection.execute(letters.update().values(recipient=None, facts=None))


def files_with(folder: Path, text: str) -> list[str]:
    return [p.name for p in folder.rglob("*") if p.is_file() and text.encode() in p.read_bytes()]


def test_nothing_is_left_in_any_file(tmp_path: Path):
    desk = open_desk(sqlite_copy(tmp_path / "portal.db", PORTAL), tmp_path)
    reference = desk.send(
        desk.filled(FORM, last_name=CANARY, email=f"{CANARY}@people.example", network_url=f"https://{CANARY}.example")
    )
    assert files_with(tmp_path, CANARY)
    deliver(desk)
    desk.clock.pass_time(100)
    assert purge.purge_delivered(desk.db, after=100, clock=desk.clock) == 0
    desk.clock.pass_time(1)
    assert purge.purge_delivered(desk.db, after=100, clock=desk.clock) == 1
    assert files_with(tmp_path, CANARY) == []
    shown = receipt.find(desk.db, tenant="acme", reference=reference)
    assert shown.state is ReceiptState.SENT
    assert len(list(desk.store.keys("acme/"))) == 1
    desk.db.close()


def test_purging_again_finds_nothing(desk: Desk):
    desk.send(desk.filled(FORM))
    deliver(desk)
    desk.clock.pass_time(101)
    assert purge.purge_delivered(desk.db, after=100, clock=desk.clock) == 1
    assert purge.purge_delivered(desk.db, after=100, clock=desk.clock) == 0


def test_what_is_not_delivered_is_not_forgotten(desk: Desk):
    desk.send(desk.filled(FORM))
    desk.clock.pass_time(10_000_000)
    assert purge.purge_delivered(desk.db, after=100, clock=desk.clock) == 0


def test_discarding_erases_the_person_and_the_cv(desk: Desk):
    reference = desk.send(desk.filled(FORM))
    assert purge.discard(desk.db, desk.store, reference, desk.clock)
    assert list(desk.store.keys("acme/")) == []
    with desk.db.read() as connection:
        row = connection.execute(sa.select(submissions)).one()
        assert row.email is None
        assert queue.find(connection, KIND, reference).state is State.DISCARDED
    assert not purge.discard(desk.db, desk.store, reference, desk.clock)


@pytest.mark.parametrize(("age", "deleted"), [(100, 0), (101, 1)])
def test_an_upload_that_nobody_claimed_is_deleted_after_its_time(desk: Desk, age: int, deleted: int):
    desk.keep("2" * 32)
    claimed = desk.filled("3" * 32)
    desk.send(claimed)
    desk.clock.pass_time(age)
    assert uploads.delete_unclaimed(desk.db, desk.store, older_than=100, clock=desk.clock) == deleted
    assert len(list(desk.store.keys("acme/"))) == 2 - deleted
