"""The same content and file from another form within 30 days is not sent twice, and has the first one's receipt.

Whoever does not know all of it learns nothing, and gets a receipt of their own.
"""

import threading

import pytest
import sqlalchemy as sa

from portal.background.mails.queue import Content
from portal.background.mails.tables import letters
from portal.background.outbox.states import OutboxState
from portal.background.outbox.tables import outbox
from portal.delivery.applications.kind import APPLICATION
from portal.delivery.envelopes import receipt, submissions
from portal.delivery.envelopes.receipt import ReceiptState
from portal.delivery.envelopes.tables import deliveries
from portal.delivery.kinds import KINDS
from tests.delivery.envelopes.desk import CV, Desk

FIRST, SECOND, THIRD = "1" * 32, "2" * 32, "3" * 32
DAY = 86_400


def state(desk: Desk, reference: str) -> ReceiptState:
    return receipt.find(desk.db, tenant="acme", kind=APPLICATION.name, reference=reference).state


def repeats(desk: Desk) -> list[sa.Row]:
    with desk.db.read() as connection:
        return list(connection.execute(sa.select(deliveries).where(deliveries.c.duplicate_of.is_not(None))))


def test_a_repeat_is_not_sent_and_gets_the_first_reference(desk: Desk):
    first = desk.send(desk.filled(FIRST))
    again = desk.filled(SECOND)
    assert desk.send(again) == first
    assert desk.send(again) == first  # a reload of the second form
    assert desk.queued() == [first]
    assert len(repeats(desk)) == 1


def test_the_receipt_says_when_a_repeat_was_received(desk: Desk):
    first = desk.send(desk.filled(FIRST))
    assert receipt.find(desk.db, tenant="acme", kind=APPLICATION.name, reference=first).again_at is None
    desk.clock.pass_time(DAY)
    desk.send(desk.filled(SECOND))
    found = receipt.find(desk.db, tenant="acme", kind=APPLICATION.name, reference=first)
    assert (found.again_at - found.accepted_at).days == 1


def test_the_reference_of_a_repeat_shows_the_status_of_the_first(desk: Desk):
    first = desk.send(desk.filled(FIRST))
    desk.send(desk.filled(SECOND))
    (second,) = (row.reference for row in repeats(desk))
    assert state(desk, second) is ReceiptState.RECEIVED
    with desk.db.write() as connection:
        connection.execute(outbox.update().where(outbox.c.subject == first).values(state=OutboxState.DELIVERED))
    assert state(desk, second) is ReceiptState.SENT


def test_a_repeat_stores_nothing_personal_and_its_email_says_that_it_is_a_repeat(desk: Desk):
    first = desk.send(desk.filled(FIRST))
    desk.clock.pass_time(DAY)
    desk.send(desk.filled(SECOND))
    (row,) = repeats(desk)
    assert row.sealed is None
    with desk.db.read() as connection:
        sealed = connection.execute(sa.select(letters.c.sealed).order_by(letters.c.created_at)).scalars().all()
    received, again = (Content.opened(desk.seal, one).facts for one in sealed)
    assert (received["again"], again["again"]) == (None, "yes")
    assert again["reference"] == first
    assert again["when"] == received["when"]


@pytest.mark.parametrize(
    "unlike",
    [
        {"first_name": "Josefa"},
        {"phone_number": "+4930999999"},
        {"city": "Bonn"},
        {"network_url": "https://network.example/jose"},
        {"content": b"another CV, which a stranger has\n"},
        {"content": CV + b"\n"},
    ],
    ids=lambda said: next(iter(said)),
)
def test_somebody_who_knows_only_the_address_learns_nothing(desk: Desk, unlike: dict[str, object]):
    first = desk.send(desk.filled(FIRST))
    other = desk.send(desk.filled(SECOND, **unlike))
    assert other != first
    assert receipt.find(desk.db, tenant="acme", kind=APPLICATION.name, reference=other).again_at is None
    assert desk.queued() == [first, other]


def test_changed_content_is_a_new_application(desk: Desk):
    first = desk.send(desk.filled(FIRST))
    second = desk.send(desk.filled(SECOND, content=b"my new CV\n"))
    third = desk.send(desk.filled(THIRD, phone_number="+4930999999"))
    assert desk.queued() == [first, second, third]


def test_a_repeat_is_sent_after_thirty_days_and_not_a_second_earlier(desk: Desk):
    first = desk.send(desk.filled(FIRST))
    desk.clock.pass_time(30 * DAY - 1)
    desk.send(desk.filled(SECOND))
    assert desk.queued() == [first]
    desk.clock.pass_time(1)
    third = desk.send(desk.filled(THIRD))
    assert desk.queued() == [first, third]


def test_an_application_that_failed_can_be_submitted_again(desk: Desk):
    first = desk.send(desk.filled(FIRST))
    assert submissions.discard(desk.db, KINDS, first, desk.clock)
    second = desk.send(desk.filled(SECOND))
    assert desk.queued() == [first, second]


def test_only_one_of_two_concurrent_forms_is_sent(desk: Desk):
    forms = [desk.filled(f"{n:032x}") for n in range(8)]
    ready = threading.Barrier(len(forms))

    def post(application) -> None:
        ready.wait()
        desk.send(application)

    threads = [threading.Thread(target=post, args=(form,)) for form in forms]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(desk.queued()) == 1
