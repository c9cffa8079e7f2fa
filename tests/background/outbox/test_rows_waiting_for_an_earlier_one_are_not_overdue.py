"""A row that waits for an earlier one of the same person does not count as overdue."""

from portal.background.outbox import queue
from portal.background.outbox.claim import claim
from portal.background.outbox.health import due_since
from portal.background.outbox.retry_policy import Policy
from portal.platform.database.db import Database
from tests.told_clock import ToldClock


def put(database: Database, clock: ToldClock, subject: str, tenant: str = "acme") -> None:
    told = {"kind": "record", "subject": subject, "tenant": tenant, "lane": f"service:{tenant}", "now": clock.now()}
    with database.write() as connection:
        queue.enqueue(connection, **told, order_key="ada")


def test_only_the_first_row_of_a_person_is_overdue(database: Database):
    clock = ToldClock()
    put(database, clock, "one")
    first = clock.now()
    clock.pass_time(10)
    put(database, clock, "two")
    put(database, clock, "three", tenant="globex")
    assert due_since(database, clock.now()) == {("record", "acme"): first, ("record", "globex"): clock.now()}
    assert len(claim(database, ["record"], Policy(), clock.now())) == 1
    clock.pass_time(400)  # the first row is still being sent
    assert set(due_since(database, clock.now())) == {("record", "globex")}
