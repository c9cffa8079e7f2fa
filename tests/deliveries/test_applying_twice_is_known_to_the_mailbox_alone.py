"""The same content from another form within 30 days is not sent twice, and only the mailbox learns of it."""

import threading

import sqlalchemy as sa

from portal.applications.kind import APPLICATION
from portal.deliveries import operate, receipt
from portal.deliveries.receipt import ReceiptState
from portal.deliveries.tables import deliveries
from portal.kinds import KINDS
from portal.letters.queue import Content
from portal.letters.tables import letters
from portal.outbox.states import State
from portal.outbox.tables import outbox
from tests.deliveries.desk import Desk

FIRST, SECOND, THIRD = "1" * 32, "2" * 32, "3" * 32
DAY = 86_400


def state(desk: Desk, reference: str) -> ReceiptState:
    return receipt.find(desk.db, tenant="acme", kind=APPLICATION.name, reference=reference).state


def test_the_second_is_not_sent_and_follows_the_first(desk: Desk):
    first = desk.send(desk.filled(FIRST))
    second = desk.send(desk.filled(SECOND))
    assert first != second
    assert desk.queued() == [first]
    assert state(desk, second) is ReceiptState.RECEIVED
    with desk.db.write() as connection:
        connection.execute(outbox.update().where(outbox.c.subject == first).values(state=State.DELIVERED))
    assert state(desk, second) is ReceiptState.SENT


def test_the_duplicate_keeps_nothing_personal_and_its_letter_says_so(desk: Desk):
    desk.send(desk.filled(FIRST))
    second = desk.send(desk.filled(SECOND))
    with desk.db.read() as connection:
        row = connection.execute(sa.select(deliveries).where(deliveries.c.reference == second)).one()
        sealed = connection.execute(sa.select(letters.c.sealed)).scalars()
        told = [Content.opened(desk.seal, one).facts["again"] for one in sealed]
    assert row.sealed is None
    assert sorted(told, key=str) == [None, "yes"]


def test_changed_content_is_a_new_application(desk: Desk):
    first = desk.send(desk.filled(FIRST))
    second = desk.send(desk.filled(SECOND, content=b"my new CV\n"))
    third = desk.send(desk.filled(THIRD, phone_number="+4930999999"))
    assert desk.queued() == [first, second, third]


def test_after_thirty_days_it_is_sent_again_and_a_second_before_it_is_not(desk: Desk):
    first = desk.send(desk.filled(FIRST))
    desk.clock.pass_time(30 * DAY - 1)
    desk.send(desk.filled(SECOND))
    assert desk.queued() == [first]
    desk.clock.pass_time(1)
    third = desk.send(desk.filled(THIRD))
    assert desk.queued() == [first, third]


def test_what_came_to_nothing_can_be_sent_again(desk: Desk):
    first = desk.send(desk.filled(FIRST))
    assert operate.discard(desk.db, KINDS, first, desk.clock)
    second = desk.send(desk.filled(SECOND))
    assert desk.queued() == [first, second]


def test_two_forms_at_the_same_instant_are_not_both_the_first(desk: Desk):
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
