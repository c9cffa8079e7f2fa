"""An erasure in one tab stops a change that is sent in another: no error, and nothing is delivered."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import httpx
import pytest
import sqlalchemy as sa

from portal.background.mails.tables import letters
from portal.background.outbox import worker
from portal.background.outbox.claim import claim
from portal.background.outbox.retry_policy import Verdict
from portal.background.outbox.settle import AttemptResult
from portal.background.outbox.states import OutboxState
from portal.background.outbox.tables import outbox
from portal.delivery.envelopes import submissions
from portal.delivery.envelopes.tables import deliveries
from portal.delivery.kinds import KINDS
from portal.people.signin.tables import code_requests
from tests.builders import Portal
from tests.site.account.candidate import ADA, Visitor, at_service, mailbox, open_acme
from tests.site.apply.applicant import CV, Applicant, Page

NEW = "augusta@people.example"


@dataclass
class ActionBeforeRequest(httpx.BaseTransport):
    """The connection to the service: at its next request, an action runs first."""

    service: httpx.BaseTransport | None = None
    happens: list[Callable[[], None]] = field(default_factory=list)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        assert self.service is not None
        while self.happens:
            self.happens.pop()()
        return self.service.handle_request(request)


@pytest.fixture
def way() -> ActionBeforeRequest:
    return ActionBeforeRequest()


@pytest.fixture
def acme(tmp_path: Path, portal_url: str, way: ActionBeforeRequest) -> Iterator[Portal]:
    made = open_acme(tmp_path / "portal", database_url=portal_url)
    way.service = made.service.transport
    made.parts.transport = way
    made.parts._clients.clear()
    yield made
    made.parts.database.close()


def other_tab(visitor: Visitor) -> Visitor:
    tab = Visitor(visitor.portal)
    tab.client.cookies.update(visitor.client.cookies)
    return tab


def erase_during_next_request(ada: Visitor, way: ActionBeforeRequest) -> list[int]:
    """Erase everything at the next request to the service; return the status of the erasure."""
    tab = other_tab(ada)
    page, got = tab.get("/profile/erase"), []

    def erase() -> None:
        thread = threading.Thread(target=lambda: got.append(tab.post("/profile/erase", page).status_code))
        thread.start()
        thread.join()

    way.happens.append(erase)
    return got


def rows(acme: Portal, query: sa.Select[Any]) -> list[Any]:
    with acme.parts.database.read() as connection:
        return list(connection.execute(query))


def send(ada: Visitor, page: Page) -> httpx.Response:
    return ada.client.post("/acme/profile/edit", files={k: (None, v) for k, v in page.hidden.items()})


@pytest.mark.parametrize("cv", [None, CV], ids=["without a file", "with a file"])
def test_her_change_is_not_accepted(acme: Portal, ada: Visitor, way: ActionBeforeRequest, cv: tuple[str, bytes] | None):
    ada.sign_in()
    review = Page(ada.form().send(cv, firstName="Augusta"))
    got = erase_during_next_request(ada, way)
    answer = send(ada, review)
    assert got == [200]
    assert (answer.status_code, answer.headers["location"]) == (303, "/acme/profile")
    assert rows(acme, sa.select(deliveries)) == []
    assert rows(acme, sa.select(outbox).where(outbox.c.kind == "record")) == []
    acme.work.deliver_what_is_due()
    assert at_service(acme)[0]["name"]["firstName"] == "Ada"
    assert sum(one["To"] == ADA for one in mailbox(acme)) == 2, "the code, and that the erasure was asked for"
    acme.parts.clock.pass_time(acme.parts.settings.upload_ttl + 1)
    acme.work.run_housekeeping()
    assert list(acme.parts.store.keys("acme/")) == []


def test_no_code_is_sent_to_an_address_that_she_was_adding(acme: Portal, ada: Visitor, way: ActionBeforeRequest):
    ada.sign_in()
    review = ada.form().press(do="emails.add").press(**{"emails-1-email": NEW}).page
    got = erase_during_next_request(ada, way)
    answer = send(ada, review)
    assert got == [200]
    assert (answer.status_code, answer.headers["location"]) == (303, "/acme/profile")
    assert rows(acme, sa.select(code_requests)) == []
    acme.work.deliver_what_is_due()
    assert NEW not in [one["To"] for one in mailbox(acme)]


def test_an_erasure_before_the_last_step_causes_no_error(ada: Visitor, way: ActionBeforeRequest):
    ada.sign_in()
    form = ada.form()
    got = erase_during_next_request(ada, way)
    assert form.send(firstName="Augusta").status_code == 200
    assert got == [200]
    assert form.send(firstName="Augusta").status_code == 403  # signed out, and nothing was sent


@dataclass
class Interleaved:
    """While this thread's statements name that table for the first time, another thread acts as far as possible."""

    acme: Portal
    table: str
    act: Callable[[], None]
    thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self._mine = threading.current_thread()
        sa.event.listen(self.acme.parts.database.engine, "before_cursor_execute", self._look)
        return self

    def __exit__(self, *_: object) -> None:
        sa.event.remove(self.acme.parts.database.engine, "before_cursor_execute", self._look)
        assert self.thread is not None, f"no statement named {self.table}"
        self.thread.join()

    def _look(self, _c: object, _cursor: object, statement: str, *_: object) -> None:
        writes = statement.startswith(("INSERT", "UPDATE", "DELETE")) or self.table == "letters"
        if self.thread is None and threading.current_thread() is self._mine and writes and self.table in statement:
            self.thread = threading.Thread(target=self.act)
            self.thread.start()
            if not self.acme.parts.database.is_sqlite:  # it waits there for this transaction to end
                self._wait()

    def _wait(self) -> None:
        """Wait until it is done, or blocked by this transaction."""
        waiting = sa.text("SELECT count(*) FROM pg_locks WHERE NOT granted")
        while self.thread is not None and self.thread.is_alive():
            with self.acme.parts.database.engine.connect() as connection:
                if connection.execute(waiting).scalar_one():
                    return
            time.sleep(0.01)


@pytest.mark.parametrize("table", ["sessions", "deliveries", "letters", "owed_requests"])
def test_a_concurrent_application_is_erased_or_complete(acme: Portal, ada: Visitor, table: str):
    ada.sign_in()
    page = ada.get("/profile/erase")
    applicant = Applicant(acme.browser())
    got: list[httpx.Response] = []
    with Interleaved(acme, table, lambda: got.append(applicant.post(email=ADA))):
        erased = ada.post("/profile/erase", page)
    assert erased.status_code == 200
    (answer,) = got
    assert answer.status_code == 303
    reference = answer.headers["location"].rsplit("/", 1)[1]
    (row,) = rows(acme, sa.select(deliveries))
    (state,) = rows(acme, sa.select(outbox.c.state).where(outbox.c.subject == reference))
    (receipt,) = rows(acme, sa.select(letters).where(letters.c.about == reference))
    stands = row.sealed is not None
    assert (row.withdrawn_at is None) == stands
    assert (state.state == OutboxState.DUE) == stands
    assert (receipt.sealed is not None) == stands
    acme.work.deliver_what_is_due()
    found = submissions.find(acme.parts.database, KINDS, reference)
    assert found is not None
    assert (found.delivered_at is not None) == stands
    assert Page(applicant.client.get(answer.headers["location"])).status == 200


def test_a_worker_that_records_a_delivery_does_not_block_the_erasure(
    acme: Portal, ada: Visitor, caplog: pytest.LogCaptureFixture
):
    ada.sign_in()
    page = ada.get("/profile/erase")
    with acme.browser() as client:
        Applicant(client).receipt(email=ADA)
    work, parts = acme.work, acme.parts
    (sending,) = claim(parts.database, ["application"], work._policy, parts.clock.now())
    assert sending is not None

    def record() -> None:
        verdict = Verdict(OutboxState.DELIVERED, parts.clock.now())
        worker.record(parts.database, [AttemptResult(sending, verdict)], work._policy, parts.clock, work._handlers)

    with Interleaved(acme, "outbox", record):
        erased = ada.post("/profile/erase", page)
    assert erased.status_code == 200
    assert "unavailable" not in caplog.text
    (row,) = rows(acme, sa.select(deliveries))
    assert row.sealed is None
    assert row.withdrawn_at is not None
