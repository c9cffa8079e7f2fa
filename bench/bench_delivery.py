"""Taking applications, against bare durable commits of the same rows on the same database; and draining a backlog.

Taking is measured without the upload: its row is there, its file does not matter. Both sides do the same inserts and
updates with as many threads, in turn; what accept() adds is everything it must know before it may write them.
A backlog waits until its workers, processes of their own, have started; then the same bodies are posted bare to the
same service, by a process too.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from pathlib import Path

import psutil
import sqlalchemy as sa

import portal.platform.database.migrations
from bench.bare_commits import bare
from bench.databases import Kind, databases
from bench.envelopes import ACME, CLOCK, SEAL, SECRET, application, upload_rows
from bench.figures import Measured, Shares, median
from bench.paced import p99
from bench.profiles import profile, sampled, shares
from portal.background.outbox import health
from portal.background.outbox.states import UNFINISHED, OutboxState
from portal.background.outbox.tables import outbox
from portal.delivery.applications.kind import APPLICATION
from portal.delivery.envelopes.accept import accept
from portal.delivery.uploads.tables import uploads
from portal.platform.database.db import Database
from tests.delivery.running_portal import running_portal
from tests.delivery.service import Posted, Service
from tests.schemas import PORTAL

ROUNDS, EACH = int(os.environ.get("ROUNDS", "11")), 300
BACKLOG = int(os.environ.get("BACKLOG", "1000"))
"""10,000 take minutes: BACKLOG=10000 make bench ONLY=delivery."""
DRAINS = int(os.environ.get("DRAINS", "3"))
"""How often each backlog is drained; the figure is of the medians."""
PACED, PATIENT = 1_500, 8
"""Applications that come evenly, and threads that take them."""


@dataclass(frozen=True, slots=True)
class Drained:
    """Of one backlog, a second: deliveries by workers, and then bare posts of the same bodies."""

    ours: float
    bare: float


def run() -> Iterator[Measured]:
    """The ratio of taking, and the backlog with one and four workers, on each database."""
    with tempfile.TemporaryDirectory() as folder, databases(Path(folder), durable=True) as kinds:
        for kind in kinds:
            yield from _taking(kind)
        for kind in kinds:
            yield from _draining(kind, Path(folder) / f"drain-{kind.name}")


def _opened(url: str) -> Database:
    database = Database(url, migrations=Path(portal.platform.database.migrations.__path__[0]))
    database.upgrade()
    return database


def _taking(kind: Kind) -> Iterator[Measured]:
    url = kind.new("take")
    database = _opened(url)
    with database.write() as connection:
        connection.execute(uploads.insert(), upload_rows(range(2 * (ROUNDS + 1) * EACH + 3 * PACED)))
    # SQLite has one writer at a time, whoever asks; PostgreSQL groups the commits of those that write at once.
    threads = 1 if database.is_sqlite else 4

    def take(number: int) -> None:
        accept(database, SEAL, APPLICATION, tenant=ACME, new=application(number), clock=CLOCK)

    _rate(take, range(EACH), threads)
    write = bare(database, url, threads)
    _rate(write, range(EACH, 2 * EACH), threads)
    rounds = []
    for number in range(1, ROUNDS + 1):
        first, last = 2 * number * EACH, (2 * number + 1) * EACH
        jobs = [("ours", take, range(first, last)), ("bare", write, range(last, last + EACH))]
        rounds.append({name: _rate(job, numbers, threads) for name, job, numbers in jobs[:: 1 if number % 2 else -1]})
    _check(database)
    ours, plain = (statistics.median(one[name] for one in rounds) for name in ("ours", "bare"))
    numbers = range(2 * (ROUNDS + 1) * EACH, 2 * (ROUNDS + 1) * EACH + PACED)
    slowest = p99(take, numbers, a_second=ours / 2, threads=PATIENT)
    more = iter(range(numbers.stop, numbers.stop + 2 * PACED))

    def again() -> Shares:
        return profile(lambda: _rate(take, [next(more) for _ in range(PACED)], threads))

    detail = f"{ours:.0f} / {plain:.0f} a second, {threads} thread(s), {EACH} each"
    name = f"accepted applications / bare durable commits, {kind.name}"
    yield median(name, [one["ours"] / one["bare"] for one in rounds], detail, again)
    detail = f"from when each was due, {PACED:,} at {ours / 2:.0f} a second"
    yield Measured(f"accepting at half that rate, ms for 99 in 100, {kind.name}", slowest, detail, (), again)
    database.close()


def _check(database: Database) -> None:
    """Both sides left the same behind, and each commit of either waited for the disk."""
    made = (ROUNDS + 1) * EACH
    with database.read() as connection:
        for table, each in (("deliveries", 1), ("outbox", 2), ("letters", 1)):
            count = connection.execute(sa.text(f"SELECT count(*) FROM {table}")).scalar_one()  # noqa: S608  names of our own
            assert count == 2 * each * made, (table, count)
        claimed = sa.text("SELECT count(DISTINCT claimed_by) FROM uploads")
        assert connection.execute(claimed).scalar_one() == 2 * made
        if not database.is_sqlite:
            for setting in ("fsync", "synchronous_commit"):
                assert connection.execute(sa.text(f"SHOW {setting}")).scalar_one() == "on", setting


def _rate(job: Callable[[int], None], numbers: Sequence[int], threads: int) -> float:
    left = iter(numbers)
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                number = next(left, None)
            if number is None:
                return
            job(number)

    workers = [threading.Thread(target=work) for _ in range(threads)]
    begun = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return len(numbers) / (time.perf_counter() - begun)


def _draining(kind: Kind, folder: Path) -> Iterator[Measured]:
    drained: dict[int, list[Drained]] = {1: [], 4: []}
    for turn in range(DRAINS):
        for workers in (1, 4) if turn % 2 == 0 else (4, 1):
            drained[workers].append(
                _drained(kind.new(f"drain-{turn}-{workers}"), folder / f"{turn}-{workers}", workers)
            )
    one, four = (statistics.median(each.ours for each in drained[workers]) for workers in (1, 4))
    bare = statistics.median(each.bare for each in drained[1])

    def again(workers: int) -> Shares:
        found = Counter[str]()
        name = f"profile-{workers}"
        _drained(kind.new(name), folder / name, workers, sampled(found, of="portal.cli worker"))
        return shares(found)

    ratios = [each.ours / each.bare for each in drained[1]]
    detail = f"{one:.0f} / {bare:.0f} a second, {BACKLOG:,} of one tenant, four requests at once"
    yield median(f"backlog delivered by one worker / bare posts, {kind.name}", ratios, detail, lambda: again(1))
    ratios = [many.ours / few.ours for many, few in zip(drained[4], drained[1], strict=True)]
    detail = f"{four:.0f} / {one:.0f} a second, {BACKLOG:,} of one tenant"
    yield median(f"four workers / one, {kind.name}", ratios, detail, lambda: again(4))


def _drained(url: str, folder: Path, workers: int, watch: AbstractContextManager[object] | None = None) -> "Drained":
    """Deliveries a second by this many `portal worker`s, from the moment that the backlog is due to the last one.

    watch: is entered for that time.
    """
    told = {"PORTAL_SECRET_KEY": SECRET, "PORTAL_DELIVERY_DEADLINE": "20", "PORTAL_DELIVERY_LEASE": "60"}
    with running_portal(folder, url, **told) as at, closing(Database(url, migrations=PORTAL)) as database:
        at.services["acme"].honours_keys = False  # to look each one up among all would be what is measured
        _fill(database, range(BACKLOG))
        processes = [_worker(at.environment, folder / f"worker-{number}.log") for number in range(workers)]
        try:
            _wait_until_idle(processes)
            with watch or nullcontext():
                begun = time.perf_counter()
                _release(database)
                while any(health.counts(database, APPLICATION.name)[state] for state in UNFINISHED):
                    assert all(process.poll() is None for process in processes), "a worker ended"
                    time.sleep(0.1)
                seconds = time.perf_counter() - begun
        finally:
            for process in processes:
                process.kill()
                process.wait()
        came, posted = at.services["acme"].counts(), list(at.services["acme"].posted)
        assert len(came) == BACKLOG, "one was lost"
        assert len(posted) == BACKLOG, "one was sent twice"
        assert health.counts(database, APPLICATION.name)[OutboxState.DELIVERED] == BACKLOG
        return Drained(BACKLOG / seconds, _bare(at.services["acme"], folder / "posts", posted))


def _bare(service: Service, file: Path, posted: list[Posted]) -> float:
    """Posts a second of the same bodies to the same service."""
    address = f"{service.url}/acme/vacancy-portal/jobs/"
    file.write_text("".join(json.dumps([address + one.posting_id, one.reference, one.body]) + "\n" for one in posted))
    command = [sys.executable, "-m", "bench.bare_posts", str(file)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def _wait_until_idle(processes: list[psutil.Popen]) -> None:
    """Until each has started: starting takes a second of a processor, which is not what is measured."""
    started = time.monotonic()
    while time.monotonic() - started < 60:
        for process in processes:
            process.cpu_percent()
        time.sleep(1)
        if all(process.cpu_percent() < 15 and process.num_threads() > 10 for process in processes):
            return
    raise TimeoutError("the workers did not come to rest within 60 s")


def _release(database: Database) -> None:
    with database.write() as connection:
        due = {"state": OutboxState.DUE, "due_at": CLOCK.now()}
        connection.execute(outbox.update().where(outbox.c.kind == APPLICATION.name).values(due))


def _fill(database: Database, numbers: range) -> None:
    """A backlog that is held back until it is released."""
    with database.write() as connection:
        connection.execute(uploads.insert(), upload_rows(numbers))
    for number in numbers:
        accept(database, SEAL, APPLICATION, tenant=ACME, new=application(number), clock=CLOCK, scan_required=True)
    with database.write() as connection:
        connection.execute(sa.text("DELETE FROM outbox WHERE kind = 'letter'"))


def _worker(environment: dict[str, str], log: Path) -> psutil.Popen:
    with log.open("ab") as out:
        return psutil.Popen(
            [sys.executable, "-m", "portal.cli", "worker"],
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
        )
