"""§4.8 against bare commits of a row of that size on the same database, without an HTTP server between.

A call goes through the service's whole WSGI application: routing, checking the body, one durable transaction. Every
call is a person who was not known before. The bare commit is one INSERT through the driver.
"""

import io
import json
import os
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import sqlalchemy as sa

from bench.bare_commits import connect
from bench.databases import Kind
from bench.figures import Measured, median
from bench.profiles import profile
from portal.platform.clock import SystemClock
from portal.platform.database.db import Database
from portal.tracker import tables
from tests.tracker.office import Office, opened, submission

ROUNDS, EACH = int(os.environ.get("ROUNDS", "11")), 300


def submitting(kind: Kind) -> Iterator[Measured]:
    """Without an Idempotency-Key, and with one as the portal sends it."""
    url = kind.new("submissions")
    with opened(url, SystemClock()) as office:
        address = f"/{office.slug}/vacancy-portal/jobs/{office.add_vacancy()}"
        calls = {keyed: _caller(office, address, keyed=keyed) for keyed in (False, True)}
        calls[False](range(50))
        row = _row(office.database)
        commit, through_alchemy = _bare(office.database, url, row)
        jobs: list[Callable[[range], None]] = [calls[False], calls[True], commit, through_alchemy]
        rates: list[list[float]] = []
        for number in range(-1, ROUNDS):
            numbers = range((number + 2) * EACH, (number + 3) * EACH)
            # In changing order, so that none always comes after the same one's writes.
            turn = number % len(jobs)
            found = {job: _rate(job, numbers) for job in jobs[turn:] + jobs[:turn]}
            if number >= 0:  # the first only warms
                rates.append([found[job] for job in jobs])
        _check(office.database)
        mine, keyed, theirs, through = (statistics.median(column) for column in zip(*rates, strict=True))
        bare = f"{theirs:,.0f} a second ({through:,.0f} through SQLAlchemy), {len(row):,} characters, rounds of {EACH}"
        more = range((ROUNDS + 1) * EACH, (ROUNDS + 3) * EACH)
        yield median(
            f"§4.8 by WSGI call / bare commits of a row, {kind.name}",
            [one[0] / one[2] for one in rates],
            f"{mine:,.0f} / {bare}",
            lambda: profile(lambda: calls[False](more)),
        )
        yield median(
            f"§4.8 with an Idempotency-Key / bare commits of a row, {kind.name}",
            [one[1] / one[2] for one in rates],
            f"{keyed:,.0f} / {bare}",
            lambda: profile(lambda: calls[True](more)),
        )


def _caller(office: Office, address: str, *, keyed: bool) -> Callable[[range], None]:
    statuses: list[str] = []

    def begin(status: str, *_: object) -> Callable[[bytes], object]:
        statuses.append(status)
        return bytes

    def call(numbers: range) -> None:
        for number in numbers:
            body = json.dumps(submission(email=f"p{number}.{keyed:d}@people.example")).encode()
            told = [f"reference-{number}"] if keyed else []
            answer = office.app.wsgi_app(_environ(address, body, told), begin)
            b"".join(answer)
            status = statuses.pop()
            assert status.startswith("201"), status

    return call


def _environ(address: str, body: bytes, key: list[str]) -> dict[str, Any]:
    """What a WSGI server hands over (PEP 3333)."""
    return {
        "REQUEST_METHOD": "POST",
        "SCRIPT_NAME": "",
        "PATH_INFO": address,
        "QUERY_STRING": "",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(body)),
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": "127.0.0.1",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": io.StringIO(),
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        **({"HTTP_IDEMPOTENCY_KEY": key[0]} if key else {}),
    }


def _row(database: Database) -> str:
    """The two records that one submission leaves, candidate and application: PostgreSQL packs a row of one letter."""
    records = (tables.candidates, tables.applications)
    with database.read() as connection:
        return "".join(connection.execute(sa.select(t.c.record).limit(1)).scalar_one() for t in records)


def _bare(database: Database, url: str, row: str) -> tuple[Callable[[range], None], Callable[[range], None]]:
    """The driver alone, and the same INSERT through portal.db; both in the service's own database."""
    kind = "INTEGER" if database.is_sqlite else "SERIAL"
    with database.write() as connection:
        connection.execute(sa.text(f"CREATE TABLE bare_rows (id {kind} PRIMARY KEY, text TEXT)"))
    driver: Any = connect(url)
    insert = f"INSERT INTO bare_rows (text) VALUES ({'?' if database.is_sqlite else '%s'})"  # noqa: S608  a mark
    named = sa.text("INSERT INTO bare_rows (text) VALUES (:text)")

    def commit(numbers: range) -> None:
        for _ in numbers:
            if database.is_sqlite:
                driver.execute("BEGIN IMMEDIATE")
            driver.execute(insert, [row])
            driver.commit()

    def through_alchemy(numbers: range) -> None:
        for _ in numbers:
            with database.write() as connection:
                connection.execute(named, {"text": row})

    return commit, through_alchemy


def _rate(job: Callable[[range], None], numbers: range) -> float:
    started = time.perf_counter()
    job(numbers)
    return len(numbers) / (time.perf_counter() - started)


def _check(database: Database) -> None:
    """Every call left its rows, and commits wait for the disk."""
    with database.read() as connection:
        made = connection.execute(sa.select(sa.func.count()).select_from(tables.applications)).scalar_one()
        assert made == 50 + 2 * (ROUNDS + 1) * EACH, made
        if database.is_sqlite:
            assert connection.exec_driver_sql("PRAGMA synchronous").scalar_one() == 2
        else:
            for setting in ("fsync", "synchronous_commit"):
                assert connection.exec_driver_sql(f"SHOW {setting}").scalar_one() == "on", setting
