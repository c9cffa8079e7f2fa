"""A thousand tenants with jobs of their own in one database: one of them against itself alone, and a worker's round.

The round is a worker's own over real HTTP: a thousand tenant files, a thousand clients, one service that has nothing
new. Every few minutes such rounds are written down, for all tenants at once.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import psutil
import sqlalchemy as sa
from flask import Flask, Response

import portal.platform.database.migrations
from bench.databases import Kind, databases, settle
from bench.figures import Measured, median
from bench.mirror_data import START, Service
from bench.pairs import compared
from bench.profiles import profile
from portal.jobs.mirror import mirror
from portal.jobs.posting import Query
from portal.jobs.search import search
from portal.platform.clock import SystemClock
from portal.platform.config.settings import Settings
from portal.platform.database.db import Database
from portal.services import Services
from portal.tenants.model import PublishSettings, Tenant, TrackerLink
from portal.worker import WorkerThreads
from tests.parts.process import accepts, free_port, running

_TENANTS, _EACH = int(os.environ.get("TENANTS", "1000")), int(os.environ.get("EACH", "20"))
_ROUNDS = 5
_COPIED = (
    *("vacancies", "vacancy_texts", "vacancy_words", "vacancy_cells", "vacancy_totals", "vacancy_vocabulary"),
    *("mirrors", "passes"),
)
_NOTHING = b'{"items":[],"pageInfo":{"nextCursor":"","hasNextPage":false}}'


def run() -> Iterator[Measured]:
    """The rounds, then the pages of one tenant."""
    middle = _TENANTS // 2
    with tempfile.TemporaryDirectory() as folder, databases(Path(folder), durable=False) as kinds:
        made = [(kind, kind.new("crowd"), kind.new("alone")) for kind in kinds]
        with ThreadPoolExecutor(2) as builders:
            list(builders.map(lambda one: _built(one[1], 0, _TENANTS), made))
        for kind, crowd, alone in made:
            _built(alone, middle, middle + 1)
            yield from _rounds(kind, crowd, Path(folder, f"rounds-{kind.name}"))
            yield from _pages(kind, _opened(crowd), _opened(alone), _tenant(middle))


def _pages(kind: Kind, crowd: Database, alone: Database, tenant: Tenant) -> Iterator[Measured]:
    settle(crowd)
    settle(alone)
    now = SystemClock().now()
    for name, query in (
        ("list", Query()),
        ("two words in few titles", Query(text="lead teacher")),
        ("two words in every description", Query(text="team others")),
        ("two filters, counts", Query(employment_types=("fullTime",), location_types=("remote",))),
        ("a misspelt word", Query(text="electricain")),
    ):
        found, same = (search.find(database, tenant, query, now) for database in (crowd, alone))
        assert found.total == same.total > 0, name
        assert [hit.posting.id for hit in found.hits] == [hit.posting.id for hit in same.hits], name
        jobs = (partial(search.find, database, tenant, query, now) for database in (crowd, alone))
        detail = f", {found.total} of its {_EACH} found"
        yield compared(f"{name}: one of 1,000 tenants / alone, {kind.name}", *jobs, detail=detail)
    crowd.close()
    alone.close()


def _rounds(kind: Kind, url: str, folder: Path) -> Iterator[Measured]:
    with _quiet_service(folder) as service, httpx.Client(base_url=service, trust_env=False) as client:
        clock = _Ahead()
        parts = Services.open(_settings(url, service, folder), clock=clock)
        work, statements = WorkerThreads(parts), list[str]()
        work.mirror_what_is_due()  # reads the files, opens the connections, and is written down
        held = psutil.Process().num_fds()
        sa.event.listen(
            parts.database.engine, "before_cursor_execute", lambda _c, _k, text, *_: statements.append(text)
        )
        before, rounds, bare = int(client.get("/asked").text), [], []
        for _ in range(_ROUNDS):
            clock.pass_a_minute()
            rounds.append(_seconds(work.mirror_what_is_due))
            bare.append(_seconds(partial(_ask_often, client)))
        asked = (int(client.get("/asked").text) - before) / _ROUNDS - _TENANTS
        writes = sum(text.startswith(("INSERT", "UPDATE", "DELETE")) for text in statements)
        count = len(statements)

        def again() -> None:
            clock.pass_a_minute()
            work.mirror_what_is_due()

        where = f"a round over 1,000 quiet tenants, {kind.name}"
        detail = f"{statistics.median(rounds):.2f} s / {statistics.median(bare):.2f} s for as many by one bare client"
        ratios = [mine / theirs for mine, theirs in zip(rounds, bare, strict=True)]
        yield median(f"time / bare requests of {where}", ratios, detail, lambda: profile(again))
        parts.database.close()
    yield Measured(f"requests for each tenant of {where}", asked / _TENANTS, f"{_TENANTS:,} tenants")
    yield Measured(f"writes in all of {where}", writes, f"{count:,} statements in all")
    yield Measured(f"open files and connections after {where}", held, "of 1,024 that a process usually may have")


def _ask_often(client: httpx.Client) -> None:
    since = {"limit": "25", "modifiedSince": datetime.now(UTC).isoformat()}
    for number in range(_TENANTS):
        client.get("/vacancies", params=since, headers={"x-api-key": f"key-{number}-{'k' * 20}"}).json()


def _seconds(job: Any) -> float:  # noqa: ANN401  anything that can be called
    started = time.perf_counter()
    job()
    return time.perf_counter() - started


class _Ahead(SystemClock):
    """The machine's clock, a minute further at each round, so that every tenant is due."""

    def __init__(self) -> None:
        self._by = timedelta(minutes=1)

    def now(self) -> datetime:
        return super().now() + self._by

    def pass_a_minute(self) -> None:
        self._by += timedelta(minutes=1)


def _settings(url: str, service: str, folder: Path) -> Settings:
    tenants = folder / "tenants"
    tenants.mkdir()
    (folder / "key").write_text("k" * 20)
    for number in range(_TENANTS):
        tracker = f'base_url = "{service}"\napi_key = "file:{folder / "key"}"'
        text = f'name = "Tenant {number}"\n[tracker]\n{tracker}\n[publish]\nstages = ["Open"]\n'
        (tenants / f"t{number}.toml").write_text(text)
    told = {
        "PORTAL_SECRET_KEY": "s" * 40,
        "PORTAL_DATABASE_URL": url,
        "PORTAL_TENANTS": str(tenants),
        "PORTAL_ATTACHMENTS": f"file:{folder / 'attachments'}",
        "PORTAL_MAIL": f"file:{folder / 'mail'}",
    }
    return Settings.from_env(told)


@contextmanager
def _quiet_service(folder: Path) -> Iterator[str]:
    folder.mkdir()
    port = free_port()
    argv = [sys.executable, "-m", "granian", "--interface", "wsgi", "--factory", "--host", "127.0.0.1"]
    argv += ["--port", str(port), "--workers", "1", "--blocking-threads", "1", "--log-level", "error"]
    root = {"PYTHONPATH": str(Path(__file__).parents[1])}
    target = "bench.bench_tenants:quiet"
    with running([*argv, target], log=folder / "log", ready=lambda: accepts(port), cwd=folder, env=root):
        yield f"http://127.0.0.1:{port}"


def quiet() -> Flask:
    """A service that has nothing new for anybody, and counts who asked."""
    app, asked = Flask("quiet"), list[None]()

    @app.get("/vacancies")
    def vacancies() -> Response:
        asked.append(None)
        return Response(_NOTHING, content_type="application/json")

    @app.get("/asked")
    def count() -> str:
        return str(len(asked))

    return app


def _tenant(number: int) -> Tenant:
    link = TrackerLink("http://127.0.0.1", f"t{number}", "k" * 20)
    return Tenant(f"t{number}", f"Tenant {number}", link, publish=PublishSettings(stages=frozenset({"Open"})))


def _opened(url: str) -> Database:
    return Database(url, migrations=Path(portal.platform.database.migrations.__path__[0]))


def _built(url: str, first: int, last: int) -> None:
    """By real first passes, in a process of their own as a worker's are."""
    subprocess.run([sys.executable, "-m", "bench.bench_tenants", url, str(first), str(last)], check=True)


def _first_passes(url: str, first: int, last: int) -> None:
    database, clock = _opened(url), SystemClock()
    database.upgrade()
    served_at = START + timedelta(days=1)
    for number in range(first, last):
        service: Any = Service(_EACH, served_at, first=number * _EACH)  # stands in for TrackerClient
        assert mirror.sync(database, service, _tenant(number), clock).changed == _EACH
    database.close()


def mirrored(url: str, *, tenants: int, each: int, made: int) -> None:
    """The schema, the postings of `made` tenants by real first passes, and of the others as copies of theirs."""
    with closing(_opened(url)) as database:
        database.upgrade()
        told = {**os.environ, "EACH": str(each)}
        subprocess.run([sys.executable, "-m", "bench.bench_tenants", url, "0", str(made)], env=told, check=True)
        for first in range(made, tenants, made):
            copy_tenants(database, first, min(made, tenants - first))
        settle(database)


def copy_tenants(database: Database, first: int, count: int) -> None:
    """Make t{first} and those after it from t0 and those after it, with the same postings and rows of their own."""
    of_rows = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'"
    of_rows += " AND is_generated = 'NEVER' ORDER BY table_name = 'vacancies' DESC, table_name, ordinal_position"
    with database.write() as connection:
        connection.exec_driver_sql("SET LOCAL session_replication_role = replica")  # no trigger, no foreign key
        connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
        columns: dict[str, list[str]] = {}
        for table, column in connection.exec_driver_sql(of_rows):
            columns.setdefault(table, []).append(column)
        last = connection.exec_driver_sql("SELECT max(row) FROM vacancies").scalar_one()
        mine = f"substr(tenant, 2)::int < {count}"
        of_mine = {"row": f"row IN (SELECT row FROM vacancies WHERE {mine})", "tenant": mine}  # noqa: S608  numbers of our own
        told = {"row": f"row + {last}", "tenant": f"'t' || (substr(tenant, 2)::int + {first})"}
        for table in _COPIED:
            names = columns[table]
            values, key = ", ".join(told.get(name, name) for name in names), "tenant" if "tenant" in names else "row"
            copied = f"INSERT INTO {table} ({', '.join(names)}) SELECT {values} FROM {table} WHERE {of_mine[key]}"  # noqa: S608  as above
            connection.exec_driver_sql(copied)


if __name__ == "__main__":
    _first_passes(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
