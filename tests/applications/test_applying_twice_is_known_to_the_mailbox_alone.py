"""The same content from another form within 30 days is not sent twice, and only the mailbox learns of it."""

import json
import threading

import sqlalchemy as sa

from portal.applications import purge, receipt
from portal.applications.accept import KIND
from portal.applications.model import ReceiptState
from portal.applications.tables import PERSONAL, submissions
from portal.letters.tables import letters
from portal.outbox import queue
from portal.outbox.states import State
from portal.outbox.tables import outbox
from tests.applications.desk import Desk

FIRST, SECOND, THIRD = "1" * 32, "2" * 32, "3" * 32
DAY = 86_400


def queued(desk: Desk) -> list[str]:
    with desk.db.read() as connection:
        return [entry.subject for entry in queue.entries(connection, KIND)]


def state(desk: Desk, reference: str) -> ReceiptState:
    return receipt.find(desk.db, tenant="acme", reference=reference).state


def test_the_second_is_not_sent_and_follows_the_first(desk: Desk):
    first = desk.send(desk.filled(FIRST))
    second = desk.send(desk.filled(SECOND))
    assert first != second
    assert queued(desk) == [first]
    assert state(desk, second) is ReceiptState.RECEIVED
    with desk.db.write() as connection:
        connection.execute(outbox.update().where(outbox.c.subject == first).values(state=State.DELIVERED))
    assert state(desk, second) is ReceiptState.SENT


def test_the_duplicate_keeps_nothing_personal_and_its_letter_says_so(desk: Desk):
    desk.send(desk.filled(FIRST))
    second = desk.send(desk.filled(SECOND))
    with desk.db.read() as connection:
        row = connection.execute(sa.select(submissions).where(submissions.c.reference == second)).one()
        told = [json.loads(facts)["again"] for facts in connection.execute(sa.select(letters.c.facts)).scalars()]
    assert [row._mapping[name] for name in PERSONAL] == [None] * len(PERSONAL)
    assert sorted(told, key=str) == [None, "yes"]


def test_changed_content_is_a_new_application(desk: Desk):
    first = desk.send(desk.filled(FIRST))
    second = desk.send(desk.filled(SECOND, content=b"my new CV\n"))
    third = desk.send(desk.filled(THIRD, phone_number="+4930999999"))
    assert queued(desk) == [first, second, third]


def test_after_thirty_days_it_is_sent_again_and_a_second_before_it_is_not(desk: Desk):
    first = desk.send(desk.filled(FIRST))
    desk.clock.pass_time(30 * DAY - 1)
    desk.send(desk.filled(SECOND))
    assert queued(desk) == [first]
    desk.clock.pass_time(1)
    third = desk.send(desk.filled(THIRD))
    assert queued(desk) == [first, third]


def test_what_came_to_nothing_can_be_sent_again(desk: Desk):
    first = desk.send(desk.filled(FIRST))
    assert purge.discard(desk.db, desk.store, first, desk.clock)
    second = desk.send(desk.filled(SECOND))
    assert queued(desk) == [first, second]


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
    assert len(queued(desk)) == 1
