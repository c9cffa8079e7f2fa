"""The mirror at scale: a tenant with 100,000 postings beside one with 100 or 1,000, and what passes over it cost.

LARGE=10000 TENANTS=100 make bench ONLY=mirror is a try of some seconds; DATABASES=sqlite takes one database alone.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa

import portal.platform.database.migrations
from bench.databases import Kind, databases, settle
from bench.figures import Figure
from bench.mirror_data import START, Service
from bench.mirror_tenants import thousand
from bench.pairs import paired
from portal.jobs.mirror import mirror
from portal.jobs.posting import Query
from portal.jobs.search import search
from portal.platform.clock import SystemClock
from portal.platform.database.db import Database
from portal.tenants.model import Publish, Tenant, TrackerLink

_ACME = Tenant(
    slug="acme",
    name="Acme",
    tracker=TrackerLink("http://127.0.0.1", "acme", "k" * 20),
    publish=Publish(stages=frozenset({"Open"})),
)
_SMALL, _MIDDLE, _LARGE = 100, 1_000, int(os.environ.get("LARGE", "100000"))
_MEMORY = 300


def run() -> Iterator[Figure]:
    """Builds every database by real first passes; a hundred thousand vacancies take some minutes, four times over."""
    with tempfile.TemporaryDirectory() as folder, databases(Path(folder), durable=False) as kinds:
        for kind in kinds:
            yield from _sizes(kind)
            yield from thousand(kind, Path(folder))


def _sizes(kind: Kind) -> Iterator[Figure]:
    urls = {size: kind.new(str(size)) for size in (_SMALL, _MIDDLE, _LARGE)}
    peaks = {size: _built(url, size) for size, url in urls.items()}
    yield Figure(
        f"memory of a first pass of {_LARGE:,} vacancies, of {_MEMORY} MB, {kind.name}",
        peaks[_LARGE] / _MEMORY,
        1.0,
        "at most",
        f"{peaks[_LARGE]:.0f} MB; of {_SMALL} vacancies {peaks[_SMALL]:.0f} MB",
    )
    opened = {size: _open(url) for size, url in urls.items()}
    for database in opened.values():
        settle(database)
    yield from _questions(kind, opened)
    yield from _idle(kind, opened[_LARGE])
    for database in opened.values():
        database.close()


def _questions(kind: Kind, opened: dict[int, Database]) -> Iterator[Figure]:
    plain = Query()
    two_words = Query(
        text="senior nurse", employment_types=("fullTime", "temporary"), location_types=("onsite", "remote")
    )
    narrowed = Query(employment_types=("fullTime",), location_types=("remote",))
    yield _ratio("list, nothing kept in memory", kind, opened, plain, _SMALL, 1.3)
    yield _ratio("two words, two filters, counts", kind, opened, two_words, _MIDDLE, 2.0)
    yield _ratio("two filters, counts", kind, opened, narrowed, _MIDDLE, 3.0)
    yield _ratio("a misspelt word", kind, opened, Query(text="electricain"), _MIDDLE, 10.0)
    now = SystemClock().now()
    deep, pages = None, max(1, _LARGE * 2 // 5 // 1_000)
    for _ in range(pages):
        deep = search.find(opened[_LARGE], _ACME, Query(after=deep, size=1_000), now).next
    assert deep is not None
    far = partial(search.find, opened[_LARGE], _ACME, Query(after=deep), now)
    pair = paired(far, partial(search.find, opened[_LARGE], _ACME, plain, now))
    yield Figure(
        f"the page after {pages * 1_000:,} postings against the first, {kind.name}",
        pair.ratio,
        1.3,
        "at most",
        f"{pair.ours:.2f} ms, {pair.yardstick:.2f} ms",
    )


def _idle(kind: Kind, database: Database) -> Iterator[Figure]:
    clock = SystemClock()
    service = _client(_LARGE, clock.now())
    statements: list[str] = []
    sa.event.listen(
        database.engine, "before_cursor_execute", lambda _c, _k, statement, *_: statements.append(statement)
    )
    mirror.sync(database, service, _ACME, clock)
    writes = [text for text in statements if text.startswith(("INSERT", "UPDATE", "DELETE"))]
    for what, count, target in (("requests", service.asked, 1), ("writes", len(writes), 0)):
        name = f"{what} of a pass that finds nothing new, {kind.name}"
        yield Figure(name, count, target, "at most", f"{count} {what}, {len(statements)} statements in all")


def _ratio(name: str, kind: Kind, opened: dict[int, Database], query: Query, small: int, target: float) -> Figure:
    now = SystemClock().now()
    found = {size: search.find(opened[size], _ACME, query, now).total for size in (_LARGE, small)}
    large_one, small_one = (partial(search.find, opened[size], _ACME, query, now) for size in (_LARGE, small))
    pair = paired(large_one, small_one)
    detail = f"{pair.ours:.2f} ms at {_LARGE:,} ({found[_LARGE]:,} found)"
    detail += f", {pair.yardstick:.2f} ms at {small:,} ({found[small]:,} found)"
    return Figure(f"{name}: {_LARGE:,} against {small:,}, {kind.name}", pair.ratio, target, "at most", detail)


def _client(size: int, served_at: Any) -> Any:  # noqa: ANN401  stands in for TrackerClient with the methods a pass needs
    return Service(size, served_at)


def _built(url: str, size: int) -> float:
    """Makes the database by a first pass in a process of its own; returns that process's peak memory in MB."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.bench_mirror", url, str(size)], check=True, capture_output=True, text=True
    )
    return float(done.stdout.split()[-1])


def _open(url: str) -> Database:
    return Database(url, migrations=Path(portal.platform.database.migrations.__path__[0]))


def _first_pass(url: str, size: int) -> None:
    database = _open(url)
    database.upgrade()
    clock = SystemClock()
    # The service's clock is far behind the vacancies' changes, so that the next pass has nothing to repeat.
    service = _client(size, START + timedelta(milliseconds=size) + timedelta(days=1))
    report = mirror.sync(database, service, _ACME, clock)
    assert report.changed == size
    database.close()
    # Not getrusage's peak: that one is inherited from the process which started this one.
    status = Path("/proc/self/status").read_text()
    print(int(status.split("VmHWM:")[1].split()[0]) / 1024)


if __name__ == "__main__":
    _first_pass(sys.argv[1], int(sys.argv[2]))
