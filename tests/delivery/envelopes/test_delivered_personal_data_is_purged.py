"""After the purge age no file of the data folder contains personal data; the reference and the CV stay."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from portal.background.mails.tables import letters
from portal.background.outbox.states import OutboxState
from portal.background.outbox.tables import outbox
from portal.delivery.applications.kind import APPLICATION
from portal.delivery.envelopes import receipt, submissions
from portal.delivery.envelopes.person import purge
from portal.delivery.envelopes.receipt import ReceiptState
from portal.delivery.envelopes.tables import deliveries
from portal.delivery.kinds import KINDS
from portal.delivery.uploads.storing import delete_unclaimed
from portal.delivery.uploads.tables import uploads
from tests.delivery.envelopes.desk import Desk, open_desk
from tests.parts.process import read_by_another

FORM = "1" * 32
CANARY = "Canarywharf"


def deliver(desk: Desk) -> None:
    with desk.db.write() as connection:
        connection.execute(outbox.update().values(state=OutboxState.DELIVERED, settled_at=desk.clock.now()))
        connection.execute(deliveries.update().values(delivered_at=desk.clock.now()))
        connection.execute(letters.update().values(sealed=None))


def rows(desk: Desk, table: sa.Table) -> int:
    with desk.db.read() as connection:
        return connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()


def files_with(folder: Path, text: str) -> list[str]:
    return [p.name for p in folder.rglob("*") if p.is_file() and text.encode() in read_by_another(p)]


def test_no_data_file_contains_personal_data_in_clear(tmp_path: Path):
    desk = open_desk(f"sqlite:///{tmp_path / 'portal.db'}", tmp_path)
    said = {"last_name": CANARY, "email": f"{CANARY}@people.example", "network_url": f"https://{CANARY}.example"}
    desk.send(desk.filled(FORM, content=b"nothing about anybody\n", **said))
    assert files_with(tmp_path, CANARY) == []
    desk.db.close()


def test_encrypted_contents_are_erased_after_the_purge_age_and_not_before(desk: Desk):
    reference = desk.send(desk.filled(FORM))
    deliver(desk)
    desk.clock.pass_time(100)
    assert purge(desk.db, KINDS, after=100, clock=desk.clock) == 0
    assert rows(desk, uploads) == 1
    desk.clock.pass_time(1)
    assert purge(desk.db, KINDS, after=100, clock=desk.clock) == 1
    with desk.db.read() as connection:
        assert connection.execute(sa.select(deliveries.c.sealed)).scalar() is None
    shown = receipt.find(desk.db, tenant="acme", kind=APPLICATION.name, reference=reference)
    assert shown.state is ReceiptState.SENT
    assert submissions.find(desk.db, KINDS, reference).state is OutboxState.PURGED
    assert len(list(desk.store.keys("acme/"))) == 1


def test_finished_deliveries_leave_the_outbox_and_the_uploads(desk: Desk):
    desk.send(desk.filled(FORM))
    deliver(desk)
    desk.clock.pass_time(101)
    purge(desk.db, KINDS, after=100, clock=desk.clock)
    assert (desk.queued(), rows(desk, uploads), rows(desk, deliveries)) == ([], 0, 1)


def test_a_second_purge_erases_nothing_more(desk: Desk):
    desk.send(desk.filled(FORM))
    deliver(desk)
    desk.clock.pass_time(101)
    assert purge(desk.db, KINDS, after=100, clock=desk.clock) == 1
    assert purge(desk.db, KINDS, after=100, clock=desk.clock) == 0


def test_undelivered_contents_are_not_purged(desk: Desk):
    desk.send(desk.filled(FORM))
    desk.clock.pass_time(10_000_000)
    assert purge(desk.db, KINDS, after=100, clock=desk.clock) == 0


def test_discarding_erases_the_candidates_data_and_the_cv(desk: Desk):
    reference = desk.send(desk.filled(FORM))
    assert submissions.discard(desk.db, KINDS, reference, desk.clock)
    delete_unclaimed(desk.db, desk.store, older_than=100, clock=desk.clock)
    assert list(desk.store.keys("acme/")) == []
    with desk.db.read() as connection:
        assert connection.execute(sa.select(deliveries.c.sealed)).scalar() is None
    assert submissions.find(desk.db, KINDS, reference).state is OutboxState.DISCARDED
    assert not submissions.discard(desk.db, KINDS, reference, desk.clock)


def test_a_discarded_delivery_is_still_listed_after_it_left_the_outbox(desk: Desk):
    reference = desk.send(desk.filled(FORM))
    submissions.discard(desk.db, KINDS, reference, desk.clock)
    desk.clock.pass_time(101)
    assert purge(desk.db, KINDS, after=100, clock=desk.clock) == 1
    assert desk.queued() == []
    assert [one.reference for one in submissions.overview(desk.db, KINDS, state=OutboxState.DISCARDED)] == [reference]


@pytest.mark.parametrize(("age", "deleted"), [(100, 0), (101, 1)])
def test_an_unclaimed_upload_is_deleted_after_its_retention(desk: Desk, age: int, deleted: int):
    desk.keep("2" * 32)
    claimed = desk.filled("3" * 32)
    desk.send(claimed)
    desk.clock.pass_time(age)
    assert delete_unclaimed(desk.db, desk.store, older_than=100, clock=desk.clock) == deleted
    assert len(list(desk.store.keys("acme/"))) == 2 - deleted
