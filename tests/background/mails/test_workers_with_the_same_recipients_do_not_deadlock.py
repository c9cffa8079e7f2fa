"""Two workers record failures of the same two recipients concurrently in different orders without a deadlock.

PostgreSQL aborts one of two deadlocked transactions; its outcome would be recorded a second later, or not at all after
its lease. SQLite has one write lock.
"""

import threading
import time
from dataclasses import dataclass, field
from typing import Any, Self

import pytest
import sqlalchemy as sa

from portal.background.mails.tables import letters
from portal.background.outbox import worker
from portal.background.outbox.claim import Claim, claim
from portal.background.outbox.retry_policy import Policy, Verdict
from portal.background.outbox.settle import AttemptResult
from portal.background.outbox.states import OutboxState
from portal.delivery.envelopes.handler import DeliveryHandler
from portal.delivery.kinds import KINDS
from tests.background.mails.post import SomeTenants
from tests.background.mails.test_emails_to_an_address_are_limited_and_combined import apply
from tests.delivery.envelopes.desk import ACME, Desk

ADA, GRACE = "ada@people.example", "grace@people.example"
AGAIN = "grace+jobs@people.example", "ada+jobs@people.example"
"""The same two mailboxes; other addresses, because what one address sent goes out one after the other."""


@dataclass
class Between:
    """Once this thread has its first advisory lock, run an action in another thread until it is done or has to wait."""

    desk: Desk
    act: Any
    thread: threading.Thread | None = None
    mine: int = field(default_factory=threading.get_ident)

    def __enter__(self) -> Self:
        sa.event.listen(self.desk.db.engine, "after_cursor_execute", self._look)
        return self

    def __exit__(self, *_: object) -> None:
        sa.event.remove(self.desk.db.engine, "after_cursor_execute", self._look)
        assert self.thread is not None, "no mailbox was locked"
        self.thread.join(60)

    def _look(self, _c: object, _cursor: object, statement: str, *_: object) -> None:
        if self.thread is None and threading.get_ident() == self.mine and "pg_advisory_xact_lock" in statement:
            self.thread = threading.Thread(target=self.act)
            self.thread.start()
            waiting = sa.text("SELECT count(*) FROM pg_locks WHERE NOT granted")
            while self.thread.is_alive():
                with self.desk.db.engine.connect() as connection:
                    if connection.execute(waiting).scalar_one():
                        return
                time.sleep(0.01)


def record(desk: Desk, claims: list[Claim], outcomes: list[str]) -> None:
    handlers = dict.fromkeys(
        KINDS,
        DeliveryHandler(desk.db, desk.seal, KINDS, SomeTenants([ACME]), lambda _: pytest.fail("asked"), desk.clock),
    )
    dead = Verdict(OutboxState.DEAD, desk.clock.now())
    ended = [AttemptResult(one, dead, outcome) for one, outcome in zip(claims, outcomes, strict=True)]
    worker.record(desk.db, ended, Policy(), desk.clock, handlers)


@pytest.mark.parametrize(
    "outcomes", [["Rejected", "Rejected"], ["Gone", "Rejected"]], ids=["of one outcome", "of several outcomes"]
)
def test_no_transaction_is_aborted_by_a_deadlock(desk: Desk, outcomes: list[str], caplog: pytest.LogCaptureFixture):
    if desk.db.is_sqlite:
        pytest.skip("SQLite has one write lock, so no deadlock is possible")
    for address in (ADA, GRACE, *AGAIN):
        apply(desk, email=address)
    claims = claim(desk.db, list(KINDS), Policy(), desk.clock.now(), most=4)
    assert len(claims) == 4
    by_subject = sorted(claims, key=lambda one: one.id)
    with Between(desk, lambda: record(desk, by_subject[2:], outcomes)):
        record(desk, by_subject[:2], outcomes)
    assert "wait to be recorded" not in caplog.text
    assert "deadlock" not in caplog.text
    with desk.db.read() as connection:
        refused = connection.scalar(sa.select(sa.func.count()).where(letters.c.template == "refused"))
    assert refused == 4
