"""Taking applications, against bare durable commits of the same rows on the same database; and draining a backlog.

Taking is measured without the upload: its row is there, its file does not matter. Both sides do the same inserts and
updates with as many threads; what accept() adds is everything it must know before it may write them.
"""

import os
import secrets
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import sqlalchemy as sa

import portal.migrations
from bench.figures import Figure
from portal.applications.accept import KIND, accept
from portal.applications.model import ApplicantLocation, NewApplication
from portal.applications.tables import uploads
from portal.clock import SystemClock
from portal.db import Database
from portal.outbox import health
from portal.outbox.states import UNFINISHED
from portal.tenants.model import MailAddresses, Tenant, TrackerLink
from tests.delivery.premises import premises
from tests.parts.postgres import running_postgres

CLOCK = SystemClock()
ACME = Tenant(
    "acme", "Acme", TrackerLink("http://127.0.0.1", "acme", "key"), mail=MailAddresses(None, "jobs@acme.example")
)
TAKEN = 1_500
BACKLOG = int(os.environ.get("BACKLOG", "2000"))
"""10,000 take minutes: BACKLOG=10000 make bench ONLY=delivery."""
TARGETS = {"SQLite": 0.3, "PostgreSQL": 0.4}


def run() -> Iterator[Figure]:
    """Two ratios of taking, and the backlog with one and four workers on each database."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = stack.enter_context(running_postgres(fsync=True))
        for name, url in (
            ("SQLite", f"sqlite:///{folder / 'take.db'}"),
            ("PostgreSQL", server.url(server.create())),
        ):
            yield _taking(name, url)
        for name, url in (
            ("SQLite", f"sqlite:///{folder / 'drain.db'}"),
            ("PostgreSQL", server.url(server.create())),
        ):
            yield from _draining(name, url, folder / f"drain-{name}")


def _opened(url: str) -> Database:
    database = Database(url, migrations=Path(portal.migrations.__path__[0]))
    database.upgrade()
    return database


def _application(number: int) -> NewApplication:
    return NewApplication(
        submission_id=f"{number:032x}",
        posting_id="job-1",
        posting_title="Welder",
        locale="en",
        upload=f"{number:032x}",
        first_name="Ana",
        last_name="García",
        email=f"ana{number}@people.example",
        phone_number="+4930901820",
        network_url=None,
        location=ApplicantLocation(city="Berlin", country="DE"),
    )


def _upload_rows(numbers: range) -> list[dict[str, object]]:
    now = CLOCK.now()
    return [
        {
            "handle": f"{number:032x}",
            "tenant": "acme",
            "form_id": f"{number:032x}",
            "key": f"acme/{secrets.token_urlsafe(24)}",
            "filename": "cv.pdf",
            "media_type": "application/pdf",
            "size": 100_000,
            "sha256": secrets.token_hex(32),
            "created_at": now,
            "stored_at": now,
        }
        for number in numbers
    ]


def _taking(name: str, url: str) -> Figure:
    database = _opened(url)
    with database.write() as connection:
        connection.execute(uploads.insert(), _upload_rows(range(TAKEN * 2)))
    # SQLite has one writer at a time, whoever asks; PostgreSQL groups the commits of those that write at once.
    threads = 1 if database.is_sqlite else 4

    def take(number: int) -> None:
        accept(database, tenant=ACME, application=_application(number), secret="s" * 32, clock=CLOCK)

    _rate(take, range(TAKEN, TAKEN + 50), threads)
    ours, bare = [], []
    write_bare = _bare(database, url)
    for part in range(3):
        ours.append(_rate(take, range(part * 400, part * 400 + 400), threads))
        bare.append(_rate(write_bare, range(part * 400, part * 400 + 400), threads))
    ratio = max(ours) / max(bare)
    database.close()
    return Figure(
        f"applications taken a second / bare durable commits of the same rows, {name}",
        ratio,
        TARGETS[name],
        "at least",
        f"{max(ours):.0f} a second / {max(bare):.0f} a second, {threads} thread(s)",
    )


def _rate(job: Callable[[int], None], numbers: range, threads: int) -> float:
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


def _bare(database: Database, url: str) -> Callable[[int], None]:
    """What one taken application leaves behind, straight through the driver: four inserts and an update."""
    with database.read() as connection:
        tables = ["submissions", "outbox", "outbox", "letters"]
        rows = {
            "submissions": dict(connection.execute(sa.text("SELECT * FROM submissions LIMIT 1")).one()._mapping),
            "outbox": dict(connection.execute(sa.text("SELECT * FROM outbox LIMIT 1")).one()._mapping),
            "letters": dict(connection.execute(sa.text("SELECT * FROM letters LIMIT 1")).one()._mapping),
        }
    # As random as ours: keys that grow would touch fewer pages of an index.
    keys = {
        "submissions": ("reference", "submission_id", "payload_hash", "email_hash"),
        "outbox": ("subject", "order_key"),
        "letters": ("id",),
    }
    mark = "?" if database.is_sqlite else "%s"
    statements = []
    for table in tables:
        columns = [name for name in rows[table] if not (table == "outbox" and name == "id")]
        values = ", ".join([mark] * len(columns))
        statements.append((table, columns, f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({values})"))  # noqa: S608  names of our own
    claim = f"UPDATE uploads SET claimed_by = {mark} WHERE handle = {mark}"  # noqa: S608  as above
    local = threading.local()

    def connect() -> sqlite3.Connection | psycopg.Connection:
        if database.is_sqlite:
            opened = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
            for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON", "busy_timeout=30000"):
                opened.execute(f"PRAGMA {pragma}")
            return opened
        return psycopg.connect(url.replace("+psycopg", ""))

    def write(number: int) -> None:
        connection = getattr(local, "connection", None)
        if connection is None:
            connection = local.connection = connect()
        if database.is_sqlite:
            connection.execute("BEGIN IMMEDIATE")
        for table, columns, statement in statements:
            row = {**rows[table], **{key: secrets.token_hex(len(rows[table][key] or "") // 2) for key in keys[table]}}
            connection.execute(statement, [row[name] for name in columns])
        connection.execute(claim, ["bare", f"{number:032x}"])
        connection.commit()

    return write


def _draining(name: str, url: str, folder: Path) -> Iterator[Figure]:
    rates: dict[int, float] = {}
    for workers in (1, 4):
        with premises(folder / str(workers), url, PORTAL_DELIVERY_DEADLINE="20", PORTAL_DELIVERY_LEASE="60") as at:
            numbers = range(workers * 1_000_000, workers * 1_000_000 + BACKLOG)
            _fill(at.database, numbers)
            begun = time.perf_counter()
            processes = [_worker(at.environment) for _ in range(workers)]
            try:
                first = None
                while any(health.counts(at.database, KIND)[state] for state in UNFINISHED):
                    if first is None and at.services["acme"].has:
                        first = time.perf_counter()
                    time.sleep(0.05)
                rates[workers] = BACKLOG / (time.perf_counter() - (first or begun))
            finally:
                for process in processes:
                    process.kill()
                    process.wait()
    yield Figure(
        f"a backlog of {BACKLOG} drained by four workers / by one, {name}",
        rates[4] / rates[1],
        0.8,
        "at least",
        f"{rates[4]:.0f} a second / {rates[1]:.0f} a second; one tenant, so four requests at once at most",
    )


def _fill(database: Database, numbers: range) -> None:
    with database.write() as connection:
        connection.execute(uploads.insert(), _upload_rows(numbers))
    for number in numbers:
        accept(database, tenant=ACME, application=_application(number), secret="s" * 32, clock=CLOCK)
    with database.write() as connection:
        connection.execute(sa.text("DELETE FROM outbox WHERE kind = 'letter'"))


def _worker(environment: dict[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "portal.cli", "worker"],
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
