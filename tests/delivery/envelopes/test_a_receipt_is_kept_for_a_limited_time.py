"""A delivered application is deleted at the end of its retention, and one that is not delivered never is."""

from dataclasses import replace
from datetime import timedelta

import pytest
import sqlalchemy as sa

from portal.background.outbox.states import CLAIMABLE, OutboxState
from portal.background.outbox.tables import outbox
from portal.delivery.applications.kind import APPLICATION
from portal.delivery.envelopes import consent, receipt
from portal.delivery.envelopes.person import purge
from portal.delivery.envelopes.retention import forget_receipts
from portal.delivery.envelopes.tables import consents, deliveries
from portal.delivery.kinds import KINDS
from portal.delivery.privacy_requests.requests import forget_answered, has_open_request
from portal.delivery.privacy_requests.tables import owed_requests
from portal.tenants.retention import Cutoffs, Retention, RetentionPeriod, cutoffs
from tests.delivery.envelopes.desk import ACME, Desk

DAY = 86_400
FORM = "1" * 32
GLOBEX = replace(ACME, slug="globex")


def delivered(desk: Desk) -> None:
    """Deliver everything, and erase its contents a week later."""
    with desk.db.write() as connection:
        values = {"state": OutboxState.DELIVERED, "settled_at": desk.clock.now()}
        connection.execute(outbox.update().where(outbox.c.state.in_(CLAIMABLE)).values(values))
    desk.clock.pass_time(7 * DAY + 1)
    purge(desk.db, KINDS, after=7 * DAY, clock=desk.clock)
    desk.clock.pass_time(-7 * DAY - 1)


def old(desk: Desk, what: RetentionPeriod = RetentionPeriod.RECEIPTS, **retentions: Retention) -> Cutoffs:
    return cutoffs(retentions, what, otherwise=100 * DAY, now=desk.clock.now())


def forgotten(desk: Desk, **retentions: Retention) -> int:
    return forget_receipts(desk.db, old(desk, **retentions), unless=has_open_request)


def count(desk: Desk, table: sa.Table) -> int:
    with desk.db.read() as connection:
        return connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0


def test_a_receipt_is_kept_until_its_retention_ends_and_no_longer(desk: Desk):
    reference = desk.send(desk.filled(FORM))
    delivered(desk)
    desk.clock.pass_time(100 * DAY)
    assert forgotten(desk) == 0
    assert receipt.find(desk.db, tenant="acme", kind=APPLICATION.name, reference=reference)
    desk.clock.pass_time(1)
    assert forgotten(desk) == 1
    assert receipt.find(desk.db, tenant="acme", kind=APPLICATION.name, reference=reference) is None


@pytest.mark.parametrize("state", [one for one in OutboxState if one is not OutboxState.PURGED])
def test_a_receipt_is_never_deleted_while_its_delivery_is_in_the_outbox(desk: Desk, state: OutboxState):
    desk.send(desk.filled(FORM))
    with desk.db.write() as connection:
        connection.execute(outbox.update().values(state=state))
    desk.clock.pass_time(3_650 * DAY)
    assert forgotten(desk) == 0
    assert len(desk.queued()) == 1


def test_a_company_can_shorten_the_retention_but_not_extend_it(desk: Desk):
    desk.send(desk.filled(FORM))
    desk.send(desk.filled("2" * 32, upload=desk.keep("2" * 32, tenant="globex")), tenant=GLOBEX)
    delivered(desk)
    said = {"acme": Retention(receipts=30), "globex": Retention(receipts=200)}
    for days, expected in ((30, 0), (1, 1), (69, 0), (1, 1)):
        desk.clock.pass_time(days * DAY)
        assert forgotten(desk, **said) == expected, days
    assert count(desk, deliveries) == 0


def test_a_repeated_application_is_kept_with_the_first_one_until_both_are_old(desk: Desk):
    first = desk.send(desk.filled(FORM))
    desk.clock.pass_time(20 * DAY)
    assert desk.send(desk.filled("2" * 32)) == first
    delivered(desk)
    desk.clock.pass_time(100 * DAY)
    assert (forgotten(desk), count(desk, deliveries)) == (0, 2)
    desk.clock.pass_time(1)
    assert (forgotten(desk), count(desk, deliveries)) == (1, 0)


def test_deletion_continues_in_further_transactions(desk: Desk):
    desk.send(desk.filled(FORM))
    delivered(desk)
    with desk.db.write() as connection:
        row = connection.execute(sa.select(deliveries)).one()._asdict()
        more = [row | {"reference": f"R{number}", "form_id": f"{number:032}"} for number in range(1_100)]
        connection.execute(deliveries.insert(), more)
    desk.clock.pass_time(100 * DAY + 1)
    assert forgotten(desk) == 1_101


@pytest.mark.parametrize("answered", [False, True])
def test_a_receipt_with_an_open_request_is_kept(desk: Desk, *, answered: bool):
    reference = desk.send(desk.filled(FORM))
    delivered(desk)
    now = desk.clock.now()
    row = {"reference": "Q", "tenant": "acme", "kind": "withdraw", "about": reference, "address": "a", "locale": "en"}
    with desk.db.write() as connection:
        row |= {"asked_at": now, "due_at": now, "done_at": now if answered else None}
        connection.execute(owed_requests.insert().values(row))
    desk.clock.pass_time(100 * DAY)
    forget_answered(desk.db, old(desk, RetentionPeriod.REQUESTS))
    assert count(desk, owed_requests) == 1
    desk.clock.pass_time(1)
    assert forgotten(desk) == answered
    forget_answered(desk.db, old(desk, RetentionPeriod.REQUESTS))
    assert count(desk, owed_requests) == (not answered)


def test_a_consent_is_kept_while_anything_refers_to_it(desk: Desk):
    desk.send(desk.filled(FORM, consent="I agree."))
    delivered(desk)
    desk.clock.pass_time(50 * DAY)
    desk.send(desk.filled("2" * 32, b"another", consent="I agree."))
    delivered(desk)
    desk.clock.pass_time(50 * DAY + 1)
    assert (forgotten(desk), consent.forget_unused(desk.db, old(desk))) == (1, 0)
    desk.clock.pass_time(50 * DAY)
    assert (forgotten(desk), consent.forget_unused(desk.db, old(desk))) == (1, 1)
    assert count(desk, consents) == 0


def test_an_unreferenced_consent_is_kept_until_it_is_old(desk: Desk):
    with desk.db.write() as connection:
        consent.record(connection, tenant="acme", text="I agree.", now=desk.clock.now() - timedelta(days=100))
    assert consent.forget_unused(desk.db, old(desk)) == 0
    desk.clock.pass_time(1)
    assert consent.forget_unused(desk.db, old(desk)) == 1
