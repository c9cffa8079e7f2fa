"""kill -9 at each point of a delivery, real processes, both databases: what was acknowledged is delivered, once.

CRASH_ROUNDS at each point: one here, many in `make soak`. `acme`'s service honours Idempotency-Key and must have each
application once; `globex`'s does not, lists no applications, and may have one more for each kill."""

import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.delivery.crash_points import Gate, Scanner, locked, scanner
from tests.delivery.running_portal import RunningPortal, multipart, running_portal
from tests.delivery.service import taken

pytestmark = [pytest.mark.soak, pytest.mark.verify]
ROUNDS = int(os.environ.get("CRASH_ROUNDS", "1"))
DATABASES = [pytest.param(kind, marks=pytest.mark.xdist_group(f"crash-{kind}")) for kind in ("sqlite", "postgresql")]


@dataclass
class CrashScenario:
    """The installation, its scanner, and a random generator."""

    at: RunningPortal
    scanner: Scanner
    chance: random.Random = field(default_factory=lambda: random.Random(7))  # noqa: S311  repeatable rounds

    def both(self) -> list[str]:
        """Send an application to acme and one to globex; both are acknowledged."""
        return [self.at.acknowledge(self.at.open_form(tenant)) for tenant in ("acme", "globex")]

    def gates(self, *, takes_first: bool) -> list[Gate]:
        made = [Gate(taken(), lambda _: taken(), takes_first) for _ in self.at.services]
        for gate, service in zip(made, self.at.services.values(), strict=True):
            service.mood = gate.mood
        return made

    def again(self, name: str) -> None:
        """Kill a process and start it again."""
        self.at.kill(name)
        self.at.start(name)
        if name == "serve":
            self.at.serving()


@pytest.fixture(scope="module", params=DATABASES)
def crashing(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CrashScenario]:
    folder: Path = tmp_path_factory.mktemp("crash")
    if request.param == "sqlite":
        yield from _crashing(folder, f"sqlite:///{folder / 'portal.db'}")
    else:
        with request.getfixturevalue("postgres").database() as url:
            yield from _crashing(folder, url)


def _crashing(folder: Path, url: str) -> Iterator[CrashScenario]:
    with (
        scanner() as scanning,
        running_portal(folder, url, PORTAL_SCANNER=f"clamd:127.0.0.1:{scanning.port}", PORTAL_PURGE_AFTER="0.5") as at,
    ):
        at.start("worker", "serve")
        at.serving()
        at.until(lambda: _is_mirrored(at), "both companies' jobs are synced")
        yield CrashScenario(at, scanning)


def _is_mirrored(at: RunningPortal) -> bool:
    import httpx

    pages = [httpx.get(f"{at.url}/{slug}/jobs/job-1/apply", trust_env=False) for slug in at.services]
    return all(page.status_code == 200 for page in pages)


@pytest.fixture(autouse=True)
def _nothing_is_lost(crashing: CrashScenario) -> Iterator[None]:
    """Check that each submission is delivered or failed, none lost, and none doubled where keys are supported."""
    at = crashing.at
    yield
    for service in at.services.values():
        service.mood = lambda _: taken()
    crashing.scanner.hanging.clear()
    for name in ("worker", "serve"):
        if name not in at.running:
            at.start(name)
    at.serving()
    at.settled()


def rounds(test: Callable[[CrashScenario], None]) -> Callable[[CrashScenario], None]:
    def repeated(crashing: CrashScenario) -> None:
        for _ in range(ROUNDS):
            test(crashing)

    repeated.__name__ = test.__name__
    return repeated


@rounds
def test_crash_in_the_middle_of_a_request_body(crashing: CrashScenario):
    at = crashing.at
    form = at.open_form()
    whole = multipart(form)
    before = at.accepted()
    with at.connection_with(whole[: crashing.chance.randrange(200, len(whole) - 10)]):
        time.sleep(0.05)
        crashing.again("serve")
    assert at.accepted() == before
    at.acknowledge(form)


@rounds
def test_crash_before_the_file_is_stored(crashing: CrashScenario):
    at = crashing.at
    form = at.open_form()
    before = at.accepted()
    with (
        locked(at.environment["PORTAL_DATABASE_URL"], "uploads") as another_process_waits,
        at.connection_with(multipart(form)),
    ):
        at.until(another_process_waits, "the server waits to write")
        at.kill("serve")
    at.start("serve")
    at.serving()
    assert at.accepted() == before
    at.acknowledge(form)


@rounds
def test_crash_after_the_file_is_stored_and_before_the_commit(crashing: CrashScenario):
    at = crashing.at
    form = at.open_form()
    incomplete = at.open_form(firstName="")
    incomplete.hidden = form.hidden
    kept = at.post(incomplete)
    assert kept.status_code == 422
    form.hidden = _hidden(kept.text)
    assert "upload" in form.hidden
    before = at.accepted()
    # On PostgreSQL the transaction waits before its last statement, with the submission already written in it.
    with (
        locked(at.environment["PORTAL_DATABASE_URL"], "letters") as another_process_waits,
        at.connection_with(multipart(form, cv=False)),
    ):
        at.until(another_process_waits, "the server waits to write")
        at.kill("serve")
    at.start("serve")
    at.serving()
    assert at.accepted() == before
    at.acknowledge(form, cv=False)


@rounds
def test_crash_after_the_commit_and_before_the_response(crashing: CrashScenario):
    at = crashing.at
    form = at.open_form()
    before = at.accepted()
    with at.connection_with(multipart(form)):
        at.until(lambda: at.accepted() > before, "the application is committed")
        at.kill("serve")
    at.start("serve")
    at.serving()
    reference = at.acknowledge(form)
    assert at.accepted() == before + 1
    assert reference in at.states()


@rounds
def test_crash_after_the_lease_and_before_the_connection(crashing: CrashScenario):
    at = crashing.at
    for service in at.services.values():
        service.fill()
    references = crashing.both()
    at.until(
        lambda: at.has_state("sending", references[0]) or at.has_state("sending", references[1]),
        "one delivery is leased",
    )
    crashing.again("worker")
    for service in at.services.values():
        service.empty()
        service.up()
    at.settled()


@rounds
def test_crash_in_the_middle_of_a_request_to_the_service(crashing: CrashScenario):
    gates = crashing.gates(takes_first=False)
    crashing.both()
    _kill_during_a_request(crashing, gates)


@rounds
def test_crash_after_the_service_accepted_and_before_its_response(crashing: CrashScenario):
    gates = crashing.gates(takes_first=True)
    references = crashing.both()
    _kill_during_a_request(crashing, gates)
    assert crashing.at.services["acme"].counts()[references[0]] == 1
    assert crashing.at.services["globex"].counts()[references[1]] <= 2


def _kill_during_a_request(crashing: CrashScenario, gates: list[Gate]) -> None:
    at = crashing.at
    at.until(lambda: any(gate.arrived.is_set() for gate in gates), "the service has the request")
    time.sleep(0.1)
    crashing.again("worker")
    for gate in gates:
        gate.opened.set()
    at.settled()


@rounds
def test_crash_after_the_response_and_before_it_is_recorded(crashing: CrashScenario):
    at = crashing.at
    gates = crashing.gates(takes_first=True)
    references = crashing.both()
    at.until(lambda: all(gate.arrived.is_set() for gate in gates), "both services have accepted it")
    with locked(at.environment["PORTAL_DATABASE_URL"], "outbox") as another_process_waits:
        for gate in gates:
            gate.opened.set()
        at.until(another_process_waits, "the worker waits to record")
        at.kill("worker")
    at.start("worker")
    at.settled()
    assert at.services["acme"].counts()[references[0]] == 1
    assert at.services["globex"].counts()[references[1]] <= 2


@rounds
def test_crash_after_it_is_recorded_and_before_the_purge(crashing: CrashScenario):
    at = crashing.at
    references = crashing.both()
    at.until(lambda: not at.has_state("due", references[0]) and at.settled() is None, "the response is recorded")
    crashing.again("worker")
    at.until(lambda: at.has_state("purged", *references), "it is purged")
    assert at.services["acme"].counts()[references[0]] == 1


@rounds
def test_crash_during_a_scan(crashing: CrashScenario):
    at = crashing.at
    crashing.scanner.asked.clear()
    crashing.scanner.hanging.set()
    references = crashing.both()
    at.until(crashing.scanner.asked.is_set, "the scanner gets a file")
    assert at.has_state("held", *references)
    crashing.again("worker")
    time.sleep(0.2)
    assert at.has_state("held", *references)
    crashing.scanner.hanging.clear()
    at.settled()


@rounds
def test_crash_during_a_sync(crashing: CrashScenario):
    at = crashing.at
    service = at.services["acme"]
    arrived, opened = threading.Event(), threading.Event()

    def stand() -> None:
        arrived.set()
        opened.wait(20)

    service.before_listing = stand
    new = f"job-{len(service.jobs) + 1}"
    service.jobs.append(new)
    at.until(arrived.is_set, "the list is requested")
    crashing.both()
    crashing.again("worker")
    service.before_listing = lambda: None
    opened.set()
    at.until(lambda: new in _jobs(at), "the new job is public")
    assert "job-1" in _jobs(at)


@rounds
def test_crash_during_start_up(crashing: CrashScenario):
    at = crashing.at
    crashing.both()
    for name in ("worker", "serve"):
        at.kill(name)
        at.start(name)
    time.sleep(crashing.chance.uniform(0, 2.5))
    at.kill("worker", "serve")
    at.start("worker", "serve")
    at.serving()
    crashing.both()


def _hidden(page: str) -> dict[str, str]:
    import re

    return dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page))


def _jobs(at: RunningPortal) -> str:
    import httpx

    return httpx.get(f"{at.url}/acme/", trust_env=False).text
