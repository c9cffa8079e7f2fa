"""A complete installation under load for SOAK_SECONDS, with faults in its parts one after the other, loses nothing.

It runs on PostgreSQL with an object store and Redis, and on SQLite, with SOAK_RATE applications a second and a fault
every SOAK_FAULT_EVERY seconds, in an order that SOAK_SEED determines. The tables of a full hour are in docs/soak.md; a
run writes its own to SOAK_REPORT.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import pytest

from tests.parts.leaks import leaks_in
from tests.parts.postgres import binaries
from tests.soak.deployment import COMPANIES, JOBS, Deployment, on_postgresql, on_sqlite, until
from tests.soak.faults import in_turn, noted
from tests.soak.observations import Observations, clock_of, percentile
from tests.soak.people import SURNAME, People

SECONDS = float(os.environ.get("SOAK_SECONDS", "3600"))
RATE = float(os.environ.get("SOAK_RATE", "10"))
FAULT_EVERY = float(os.environ.get("SOAK_FAULT_EVERY", "120"))
BACKUP_EVERY = 600.0
SEED = int(os.environ.get("SOAK_SEED", "1"))
REPORT = os.environ.get("SOAK_REPORT", "")
pytestmark = [pytest.mark.soak, pytest.mark.verify]


@pytest.fixture(params=["sqlite", "postgresql"])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Deployment]:
    opened = on_sqlite if request.param == "sqlite" else on_postgresql
    with opened(tmp_path / "site") as made:
        yield made


@dataclass
class Memory:
    """MB of each process, read every 15 s. readings: name → (seconds since the start, MB)."""

    site: Deployment
    begun: float
    readings: dict[str, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))

    def watch(self, over: threading.Event) -> None:
        """Read memory until the run is over."""
        while not over.wait(15):
            for name, one in self.site.processes.items():
                if used := one.memory():
                    self.readings[name].append((time.monotonic() - self.begun, used))

    def medians(self) -> dict[str, tuple[float, float]]:
        """Return name → median MB of the second and of the last third of the run."""
        found = {}
        for name, read in self.readings.items():
            second = [used for at, used in read if SECONDS / 3 <= at < SECONDS * 2 / 3]
            last = [used for at, used in read if at >= SECONDS * 2 / 3]
            if second and last:
                found[name] = median(second), median(last)
        return found


def test_load_with_faults_loses_nothing(site: Deployment, request: pytest.FixtureRequest):
    seen, chance = Observations(), random.Random(SEED)  # noqa: S311  a plan that can be repeated
    until(lambda: _mirrored(site), "every job is shown")
    people = People(site, seen, chance)
    memory, over = Memory(site, people.begun), threading.Event()
    with ExitStack() as stack:
        beside = [
            threading.Thread(target=memory.watch, args=(over,)),
            threading.Thread(target=_backups, args=(site, seen, people.begun, over)),
        ]
        for one in beside:
            one.start()
            stack.callback(one.join)
        stack.callback(over.set)
        with people.coming(a_second=RATE):
            _break(site, seen, people)
    waiting = _waiting(site, seconds=600 + SECONDS / 2)
    report, wrong = _judged(site, seen, people, memory, waiting)
    text = "\n".join(report)
    print(text)  # noqa: T201  the report is for people
    if REPORT:
        Path(REPORT).with_suffix(f".{request.node.callspec.id}.md").write_text(text + "\n")
        Path(REPORT).with_suffix(f".{request.node.callspec.id}.memory.json").write_text(json.dumps(memory.readings))
    if REPORT and wrong:  # the logs show the reason of a failure
        logs = Path(REPORT).with_suffix(f".{request.node.callspec.id}.logs")
        logs.mkdir(exist_ok=True)
        for log in site.logs():
            shutil.copy(log, logs)
    assert not wrong, "\n".join(wrong)


def _mirrored(site: Deployment) -> bool:
    return all(f"{JOBS} open jobs" in _page(site, slug) for slug in COMPANIES)


def _page(site: Deployment, slug: str) -> str:
    assert site.proxy is not None
    return site.proxy.browser().get(f"/{slug}/").text


def _break(site: Deployment, seen: Observations, people: People) -> None:
    # A separate random generator, so that the order of faults does not depend on the number of users before.
    ends, turns = people.begun + SECONDS, in_turn(site, random.Random(SEED))  # noqa: S311  a plan that can be repeated
    following, accepted = people.begun + FAULT_EVERY / 2, 0
    while time.monotonic() < ends:
        time.sleep(max(0.0, min(following, ends) - time.monotonic()))
        if time.monotonic() >= ends - FAULT_EVERY / 2:
            time.sleep(max(0.0, ends - time.monotonic()))
            return
        if len(people.accepted) == accepted and FAULT_EVERY >= 60:
            seen.notes.append("nothing was accepted between two faults, so the load ended early")
            return
        accepted = len(people.accepted)
        plan = next(turns)
        with noted(seen, plan.name, people.begun):
            plan.breaks(site)
        following = max(following + FAULT_EVERY, time.monotonic() + 30)


def _backups(site: Deployment, seen: Observations, begun: float, over: threading.Event) -> None:
    """Make a backup every ten minutes, also during faults; one that fails is reported, and the next one follows."""
    while not over.wait(min(BACKUP_EVERY, SECONDS / 3)):
        started = time.monotonic()
        done = site.portal("backup", str(site.folder / "backups"), "--keep", "2", check=False)
        took, ended = time.monotonic() - started, f"{time.monotonic() - begun:.0f} s"
        said = "was made" if done.returncode == 0 else f"failed: {done.stderr.strip().splitlines()[-1:]}"
        seen.notes.append(f"a backup {said} within {took:.0f} s, at {ended}")


def _waiting(site: Deployment, *, seconds: float) -> list[str]:
    """Wait until everything is delivered, and return what is not by then.

    Like an operator, send now what waits for a longer pause after an outage.
    """
    deadline = time.monotonic() + seconds
    while waiting := [f"{one} ({state})" for state in _UNSETTLED for one in _listed(site, state)]:
        if time.monotonic() > deadline:
            break
        for reference in [*_listed(site, "retry"), *_listed(site, "dead")]:
            site.portal("submissions", "retry", reference, check=False)
        time.sleep(1)
    return waiting


_UNSETTLED = ("held", "due", "sending", "retry", "ambiguous", "dead")


def _listed(site: Deployment, state: str) -> list[str]:
    listed = site.portal("submissions", "list", "--json", "--state", state, "--limit", "200").stdout
    return [one["reference"] for one in json.loads(listed)]


def _arrived(site: Deployment) -> Counter[tuple[str, str]]:
    """Return how often the service has the application of each (company, address), according to its interface."""
    found: Counter[tuple[str, str]] = Counter()
    for slug in COMPANIES:
        for number in range(JOBS):
            answer = site.at_service(slug, f"/applications/vacancy/{slug}-{number}")
            assert answer.status_code == 200, answer.text
            found.update((slug, one["candidate"]["emails"][0]) for one in answer.json()["applications"])
    return found


def _judged(
    site: Deployment, seen: Observations, people: People, memory: Memory, waiting: list[str]
) -> tuple[list[str], list[str]]:
    """Return the report, and the violations."""
    arrived = _arrived(site)
    lost = [one for one in people.accepted.values() if not arrived[one]]
    twice = [one for one, count in arrived.items() if count > 1]
    site.end()
    leaked = _leaked(site)
    unexplained = Counter(f"{one.status} {one.what} at {clock_of(one.begun)}" for one in seen.unexplained())
    p99, medians = seen.page_p99(), memory.medians()
    used = {name: f"{second:.0f}, {last:.0f}" for name, (second, last) in medians.items()}
    checks: list[tuple[str, object, bool]] = [
        ("applications accepted", f"{len(people.accepted):,}", bool(people.accepted)),
        ("accepted and not at the service", len(lost), not lost),
        ("at the service more than once", len(twice), not twice),
        ("not delivered in the end", waiting[:10] or 0, not waiting),
        ("people who gave up", people.gave_up, True),
        ("records changed", len(people.changed), bool(people.changed)),
        ("errors while nothing was broken", dict(unexplained), not unexplained),
        ("errors other than 503", dict(seen.other_than_503()), True),
        ("99 in 100 pages outside of faults, ms", round(1000 * p99), p99 <= 0.3),
        ("applications, 99 in 100, ms", round(1000 * percentile(_accepted(seen), 0.99)), True),
        ("memory in MB, second and last third", used, _is_flat(medians)),
        ("personal data in logs", len(leaked), not leaked),
        ("databases are whole", *_databases_intact(site)),
    ]
    report = ["| figure | measured |", "|---|---|", *(f"| {name} | {value} |" for name, value, _ in checks)]
    report += ["", *seen.table(), "", *(f"- {note}" for note in seen.notes)]
    return report, [f"{name}: {value}" for name, value, fine in checks if not fine] + leaked[:5]


def _accepted(seen: Observations) -> list[float]:
    return [one.seconds for one in seen.answers if one.what == "application" and one.status == 303]


def _is_flat(medians: dict[str, tuple[float, float]]) -> bool:
    # Only growth: a process that a fault restarted shortly before uses less than one that has run for half an hour.
    return all(last / second <= 1.1 for second, last in medians.values())


def _leaked(site: Deployment) -> list[str]:
    return [
        f"{log.name}: {line[:200]}"
        for log in site.logs()
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines()
        if SURNAME in line or leaks_in(line)
    ]


_LOOK = """import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute("PRAGMA integrity_check").fetchone()[0])"""


def _databases_intact(site: Deployment) -> tuple[str, bool]:
    """Check the databases with other programs, after all processes of the product have ended."""
    if site.postgres is not None:
        check = [binaries() / "pg_amcheck", "--install-missing", "--heapallindexed", "-U", "portal", "-h", "127.0.0.1"]
        argv = [str(word) for word in [*check, "-p", site.postgres.port, "-d", "portal", "-d", "service"]]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        return (done.stdout + done.stderr).strip()[:500] or "ok", done.returncode == 0
    said = set()
    for name in ("portal", "service"):
        argv = [sys.executable, "-c", _LOOK, str(site.folder / "disk" / f"{name}.db")]
        said.add(subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip())
    return ", ".join(sorted(said)), said == {"ok"}
