"""Ten applications a second while the services fail in every way: all accepted, all delivered after recovery.

CHAOS_SECONDS of it, and at least until each service has failed in every way once; half an hour in `make soak`. An
operator acts as the manual says: a pause of a day that a service requested by mistake is ended by `portal submissions
retry`, and so is a failed one after its cause is fixed."""

import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import httpx
import pytest

from portal.background.outbox.states import UNFINISHED, OutboxState
from tests.delivery.running_portal import RunningPortal, running_portal
from tests.delivery.service import Deed, Posted, Service, refused, taken
from tests.parts import command
from tests.parts.misbehaving import answer, drip, hang_up, html, reset, silence, truncated

pytestmark = [pytest.mark.soak, pytest.mark.verify]
SECONDS = float(os.environ.get("CHAOS_SECONDS", "5"))
A_SECOND = 10
PATIENT = {"PORTAL_SYNC_INTERVAL": "5", "PORTAL_DELIVERY_DEADLINE": "5", "PORTAL_DELIVERY_LEASE": "12"}
"""Long enough that a clear yes is never late, however busy the machine."""
DATABASES = [pytest.param(kind, marks=pytest.mark.xdist_group(f"chaos-{kind}")) for kind in ("sqlite", "postgresql")]


@pytest.fixture(params=DATABASES)
def at(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RunningPortal]:
    if request.param == "sqlite":
        with running_portal(tmp_path / "p", f"sqlite:///{tmp_path / 'portal.db'}", **PATIENT) as made:
            yield made
        return
    with (
        request.getfixturevalue("postgres").database() as url,
        running_portal(tmp_path / "p", url, **PATIENT) as made,
    ):
        yield made


@dataclass
class RandomFailures:
    """Failures of a service: each kind once in random order, then any. `left`: the kinds that have not happened yet."""

    chance: random.Random
    left: list[Deed] = field(init=False)

    def __post_init__(self) -> None:
        self.left = _deeds()
        self.chance.shuffle(self.left)

    def mood(self, _: Posted) -> Deed:
        time.sleep(self.chance.choice([0, 0, 0, 0.01, 0.1, 0.5]))
        try:
            return self.left.pop()
        except IndexError:
            return self.chance.choice(_deeds())


def _deeds() -> list[Deed]:
    def busy(status: int, retry_after: str | None) -> Deed:
        told = {} if retry_after is None else {"Retry-After": retry_after}
        return refused(answer({"error": "busy"}, status=status, headers=told))

    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=1), usegmt=True)
    return [
        *([taken()] * 12),
        Deed(takes=True, says=reset(), clearly=False),
        Deed(takes=True, says=answer(status=500), clearly=False),
        Deed(takes=True, says=truncated(), clearly=False),
        refused(reset()),
        refused(hang_up),
        refused(silence(0.3)),
        refused(drip("head", every=0.01)),
        Deed(takes=True, says=drip("body", every=0.005), clearly=False),
        *(busy(429, told) for told in (None, "1", soon, "-1", "abc", "999999")),
        busy(503, "1"),
        busy(503, None),
        busy(502, None),
        refused(answer(status=302, headers={"Location": "https://elsewhere.example/"})),
        refused(html()),
    ]


def down_and_up(service: Service, stop: threading.Event, chance: random.Random) -> None:
    while not stop.wait(chance.uniform(1, 4)):
        service.down()
        stop.wait(chance.uniform(0.2, 1.5))
        service.up()


def operator(at: RunningPortal, stop: threading.Event) -> None:
    while not stop.wait(0.3):
        _end_rests(at)


def _end_rests(at: RunningPortal) -> None:
    waiting = {one.tenant: one.reference for one in at.states().values() if one.state == OutboxState.RETRY}
    _retry(at, *waiting.values())


def _retry(at: RunningPortal, *references: str) -> None:
    """Use the command; it refuses to retry what was delivered in the meantime, which is expected."""
    for reference in references:
        command.portal("submissions", "retry", reference, environment=at.environment)


def test_applications_during_chaos_are_accepted_and_delivered_once(at: RunningPortal):
    at.start("worker", "serve")
    at.serving()
    at.until(lambda: _open(at, "acme") and _open(at, "globex"), "both companies' jobs are synced")
    chance = random.Random(11)  # noqa: S311  repeatable failures
    stop = threading.Event()
    days = [RandomFailures(chance) for _ in at.services]
    for service, day in zip(at.services.values(), days, strict=True):
        service.mood = day.mood
    trouble = [threading.Thread(target=down_and_up, args=(one, stop, chance)) for one in at.services.values()]
    trouble.append(threading.Thread(target=operator, args=(at, stop)))
    for thread in trouble:
        thread.start()
    try:
        answered = list(_arriving(at, lambda: not any(day.left for day in days)))
    finally:
        stop.set()
        for thread in trouble:
            thread.join()

    assert {status for status, _ in answered} == {303}
    references = {reference: tenant for _, (reference, tenant) in answered}
    assert len(references) == len(answered)
    assert len(answered) >= SECONDS * A_SECOND
    for service in at.services.values():
        service.mood = lambda _: taken()
    at.until(lambda: _healed(at), "everything is delivered", seconds=120 + SECONDS / 4)
    for reference, tenant in references.items():
        service = at.services[tenant]
        most = 1 if service.honours_keys else 1 + service.ambiguous[reference]
        assert 1 <= service.counts()[reference] <= most, at.log_lines_about(reference)
    assert Counter(one.state for one in at.states().values()) == {OutboxState.DELIVERED: len(references)}


def _arriving(at: RunningPortal, has_seen_all: Callable[[], bool]) -> Iterator[tuple[int, tuple[str, str]]]:
    """Submit ten a second, whatever the responses take; then two a second until every kind of failure has happened."""
    futures: list[Future[tuple[int, tuple[str, str]]]] = []
    with ThreadPoolExecutor(max_workers=24) as pool:
        begun = time.monotonic()
        while len(futures) < SECONDS * A_SECOND or not has_seen_all():
            assert time.monotonic() < begun + SECONDS + 300, "a service did not fail in every way"
            late = len(futures) >= SECONDS * A_SECOND  # only the remaining kinds of failure matter now
            time.sleep(0.5 if late else max(0.0, begun + len(futures) / A_SECOND - time.monotonic()))
            futures.append(pool.submit(_apply, at, "acme" if len(futures) % 2 else "globex"))
    return (one.result() for one in futures)


def _apply(at: RunningPortal, tenant: str) -> tuple[int, tuple[str, str]]:
    response = at.post(at.open_form(tenant))
    return response.status_code, (response.headers.get("location", "").rpartition("/")[2].partition("?")[0], tenant)


def _healed(at: RunningPortal) -> bool:
    counts = Counter(one.state for one in at.states().values())
    if counts[OutboxState.DEAD]:
        _retry(at, *(one.reference for one in at.states().values() if one.state == OutboxState.DEAD))
    elif any(counts[state] for state in UNFINISHED):
        _end_rests(at)
    time.sleep(0.5)
    return not any(counts[state] for state in (*UNFINISHED, OutboxState.DEAD))


def _open(at: RunningPortal, slug: str) -> bool:
    return httpx.get(f"{at.url}/{slug}/jobs/job-1/apply", trust_env=False).status_code == 200
