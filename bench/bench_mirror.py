"""The mirror at scale: a tenant with 100,000 postings beside one with 100 or 1,000, and what passes over it cost.

LARGE=10000 make bench ONLY=mirror is a try of some seconds; DATABASES=sqlite takes one database alone.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa

import portal.platform.database.migrations
from bench.databases import Kind, databases, settle
from bench.figures import Measured
from bench.mirror_data import START, Service
from bench.pairs import compared
from portal.jobs.mirror import mirror
from portal.jobs.posting import Query
from portal.jobs.search import search
from portal.platform.clock import SystemClock
from portal.platform.database.db import Database
from portal.tenants.model import PublishSettings, Tenant, TrackerLink

_ACME = Tenant(
    slug="acme",
    name="Acme",
    tracker=TrackerLink("http://127.0.0.1", "acme", "k" * 20),
    publish=PublishSettings(stages=frozenset({"Open"})),
)
_SMALL, _MIDDLE, _LARGE = 100, 1_000, int(os.environ.get("LARGE", "100000"))


def run() -> Iterator[Measured]:
    """Builds every database by real first passes, two at a time: a hundred thousand vacancies take minutes.

    MIRROR: where a copy of the large one on SQLite is left for what needs one later.
    """
    with tempfile.TemporaryDirectory() as folder, databases(Path(folder), durable=False) as kinds:
        sizes = (_LARGE, _MIDDLE, _SMALL)
        wanted = [(kind, size, kind.new(str(size))) for size in sizes for kind in kinds]
        with ThreadPoolExecutor(2) as builders:
            peaks = list(builders.map(lambda one: _built(one[2], one[1]), wanted))
        for kind in kinds:
            mine = [(size, url, peak) for (of, size, url), peak in zip(wanted, peaks, strict=True) if of is kind]
            if kind.name == "SQLite" and "MIRROR" in os.environ:
                shutil.copy(mine[0][1].removeprefix("sqlite:///"), os.environ["MIRROR"])
            yield from _sizes(kind, {size: url for size, url, _ in mine}, [peak for _, _, peak in mine])


def _sizes(kind: Kind, urls: dict[int, str], peaks: list[float]) -> Iterator[Measured]:
    detail = f"{_LARGE:,} vacancies; of {_SMALL} {peaks[-1]:.0f} MB"
    yield Measured(f"a first pass over a large list, MB at most, {kind.name}", peaks[0], detail)
    opened = {size: _open(url) for size, url in urls.items()}
    for database in opened.values():
        settle(database)
    yield from _questions(kind, opened)
    yield from _idle(kind, opened[_LARGE])
    for database in opened.values():
        database.close()


def _questions(kind: Kind, opened: dict[int, Database]) -> Iterator[Measured]:
    plain = Query()
    two_words = Query(
        text="senior nurse", employment_types=("fullTime", "temporary"), location_types=("onsite", "remote")
    )
    narrowed = Query(employment_types=("fullTime",), location_types=("remote",))
    yield _ratio("list, not cached: 100,000 jobs / 100", kind, opened, plain, _SMALL)
    yield _ratio("two words, two filters, counts, not cached: 100,000 jobs / 1,000", kind, opened, two_words, _MIDDLE)
    yield _ratio("two filters, counts, not cached: 100,000 jobs / 1,000", kind, opened, narrowed, _MIDDLE)
    yield _ratio("a misspelt word: 100,000 jobs / 1,000", kind, opened, Query(text="electricain"), _MIDDLE)
    now = SystemClock().now()
    deep, pages = None, max(1, _LARGE * 2 // 5 // 1_000)
    for _ in range(pages):
        deep = search.find(opened[_LARGE], _ACME, Query(after=deep, size=1_000), now).next
    assert deep is not None
    far = partial(search.find, opened[_LARGE], _ACME, Query(after=deep), now)
    first, detail = partial(search.find, opened[_LARGE], _ACME, plain, now), f", after {pages * 1_000:,} jobs"
    yield compared(f"a page far behind in the list / the first, {kind.name}", far, first, detail=detail)


def _idle(kind: Kind, database: Database) -> Iterator[Measured]:
    clock = SystemClock()
    service = _client(_LARGE, clock.now())
    statements: list[str] = []
    sa.event.listen(
        database.engine, "before_cursor_execute", lambda _c, _k, statement, *_: statements.append(statement)
    )
    mirror.sync(database, service, _ACME, clock)
    writes = [text for text in statements if text.startswith(("INSERT", "UPDATE", "DELETE"))]
    detail = f"{len(statements)} statements in all"
    yield Measured(f"requests of a pass that finds nothing new, {kind.name}", service.asked, detail)
    yield Measured(f"writes of a pass that finds nothing new, {kind.name}", len(writes), detail)


def _ratio(name: str, kind: Kind, opened: dict[int, Database], query: Query, small: int) -> Measured:
    now = SystemClock().now()
    found = {size: search.find(opened[size], _ACME, query, now).total for size in (_LARGE, small)}
    large_one, small_one = (partial(search.find, opened[size], _ACME, query, now) for size in (_LARGE, small))
    detail = f", {found[_LARGE]:,} found of {_LARGE:,} / {found[small]:,} of {small:,}"
    return compared(f"{name}, {kind.name}", large_one, small_one, detail=detail)


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
