"""The mirror at scale: a tenant with 100,000 postings beside one with 100 or 1,000, and what passes over it cost."""

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa

import portal.migrations
from bench.figures import Figure
from bench.mirror_data import START, Service
from portal.clock import SystemClock
from portal.db import Database
from portal.tenants.model import Publish, Tenant, TrackerLink
from portal.vacancies import mirror, search
from portal.vacancies.posting import Query

_ACME = Tenant(
    slug="acme",
    name="Acme",
    tracker=TrackerLink("http://127.0.0.1", "acme", "k" * 20),
    publish=Publish(stages=frozenset({"Open"})),
)
_SMALL, _MIDDLE, _LARGE = 100, 1_000, 100_000
_MEMORY = 300


def run() -> Iterator[Figure]:
    """Builds three databases by real first passes; the large one takes some minutes."""
    with tempfile.TemporaryDirectory() as folder:
        sizes = {size: Path(folder) / f"{size}.db" for size in (_SMALL, _MIDDLE, _LARGE)}
        peaks = {size: _built(path, size) for size, path in sizes.items()}
        yield Figure(
            f"memory of a first pass of {_LARGE:,} vacancies, in units of {_MEMORY} MB",
            peaks[_LARGE] / _MEMORY,
            1.0,
            "at most",
            f"{peaks[_LARGE]:.0f} MB; of {_SMALL} vacancies {peaks[_SMALL]:.0f} MB",
        )
        opened = {size: _open(path) for size, path in sizes.items()}
        yield from _questions(opened)
        yield from _idle(opened[_LARGE])
        for database in opened.values():
            database.close()


def _questions(opened: dict[int, Database]) -> Iterator[Figure]:
    plain = Query()
    two_words = Query(
        text="senior nurse", employment_types=("fullTime", "temporary"), location_types=("onsite", "remote")
    )
    narrowed = Query(employment_types=("fullTime",), location_types=("remote",))
    yield _ratio("list without search, nothing kept in memory", opened, plain, _LARGE, _SMALL, 1.3)
    yield _ratio("two words, two filters, counts", opened, two_words, _LARGE, _MIDDLE, 3.0)
    yield _ratio("two filters, counts", opened, narrowed, _LARGE, _MIDDLE, 3.0)
    yield _ratio("a misspelt word", opened, Query(text="electricain"), _LARGE, _MIDDLE, 10.0)
    now = SystemClock().now()
    deep = None
    for _ in range(40):
        deep = search.find(opened[_LARGE], _ACME, Query(after=deep, size=1_000), now).next
    first, far = (
        _timed(partial(search.find, opened[_LARGE], _ACME, query, now)) for query in (plain, Query(after=deep))
    )
    yield Figure("page 2,001 against the first", far / first, 1.3, "at most", f"{far:.2f} ms, {first:.2f} ms")


def _idle(database: Database) -> Iterator[Figure]:
    clock = SystemClock()
    service = _client(_LARGE, clock.now())
    statements: list[str] = []
    sa.event.listen(
        database.engine, "before_cursor_execute", lambda _c, _k, statement, *_: statements.append(statement)
    )
    mirror.sync(database, service, _ACME, clock)
    writes = [text for text in statements if text.startswith(("INSERT", "UPDATE", "DELETE"))]
    yield Figure("requests of a pass that finds nothing new", service.asked, 1, "at most", f"{service.asked} request")
    yield Figure("writes of a pass that finds nothing new", len(writes), 0, "at most", f"{len(writes)} writes")


def _ratio(name: str, opened: dict[int, Database], query: Query, large: int, small: int, target: float) -> Figure:
    now = SystemClock().now()
    found = {size: search.find(opened[size], _ACME, query, now).total for size in (large, small)}
    times = {size: _timed(partial(search.find, opened[size], _ACME, query, now)) for size in (large, small)}
    detail = ", ".join(f"{times[size]:.2f} ms at {size:,} ({found[size]:,} found)" for size in (large, small))
    return Figure(
        f"{name}: {large:,} against {small:,} postings", times[large] / times[small], target, "at most", detail
    )


def _client(size: int, served_at: datetime) -> Any:  # noqa: ANN401  stands in for Upstream with the methods a pass needs
    return Service(size, served_at)


def _timed(job: Callable[[], object]) -> float:
    """Milliseconds: the best of 25, after a first call that nobody counts; what else the machine does is left out."""
    job()
    times = []
    for _ in range(25):
        started = time.perf_counter()
        job()
        times.append(1_000 * (time.perf_counter() - started))
    return min(times)


def _built(path: Path, size: int) -> float:
    """Makes the database by a first pass in a process of its own; returns that process's peak memory in MB."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.bench_mirror", str(path), str(size)], check=True, capture_output=True, text=True
    )
    return float(done.stdout.split()[-1])


def _open(path: Path) -> Database:
    return Database(f"sqlite:///{path}", migrations=Path(portal.migrations.__path__[0]))


def _first_pass(path: Path, size: int) -> None:
    database = _open(path)
    database.upgrade()
    clock = SystemClock()
    # The service's clock is far behind the vacancies' changes, so that the next pass has nothing to repeat.
    service = _client(size, START + timedelta(milliseconds=size) + timedelta(days=1))
    report = mirror.sync(database, service, _ACME, clock)
    assert report.changed == size
    database.close()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


if __name__ == "__main__":
    _first_pass(Path(sys.argv[1]), int(sys.argv[2]))
