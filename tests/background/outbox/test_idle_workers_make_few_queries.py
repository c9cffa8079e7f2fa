"""An idle worker queries the database four times a second at most, and still begins new work immediately."""

import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from portal.platform.clock import SystemClock
from portal.platform.database.db import Database
from portal.services import Services
from portal.worker import WorkerThreads
from tests.delivery.scene import Scene, scene

pytestmark = pytest.mark.verify

FIRST_LOOKS = 4.0
IDLE_FOR = 20.0
MOST = 4 - 0.3
"""Statements a second, but for BEGIN and COMMIT. The rest of four is for what is done once a minute."""
IN_TIME = 0.5


class Statements:
    """Records all statements on all connections of a database."""

    def __init__(self, database: Database) -> None:
        self.told: list[str] = []
        sa.event.listen(database.engine, "connect", self._opened)

    def _opened(self, connection: object, _entry: object) -> None:
        if isinstance(connection, psycopg.Connection):
            connection.cursor_factory = self._cursor()
        else:
            connection.set_trace_callback(self._note)  # type: ignore[attr-defined]  an attribute of sqlite3

    def _cursor(self) -> type[psycopg.Cursor]:
        note = self._note

        class Noting(psycopg.Cursor):
            def execute(self, query: object, *given: object, **more: object) -> psycopg.Cursor:
                note(str(query))
                return super().execute(query, *given, **more)  # type: ignore[arg-type]  types of psycopg

        return Noting

    def _note(self, text: str) -> None:
        if text.split(maxsplit=1)[0].rstrip(";") not in {"BEGIN", "COMMIT", "ROLLBACK"}:
            self.told.append(text)


@pytest.fixture
def here(portal_url: str, tmp_path: Path) -> Iterator[Scene]:
    with scene(tmp_path / "scene", portal_url) as made:
        yield made


@pytest.fixture
def parts(here: Scene) -> Iterator[Services]:
    """A worker's services, with the machine's own clock."""
    made = Services.open(here.parts.settings, clock=SystemClock())
    yield made
    made.close()


def test_an_idle_worker_makes_four_queries_a_second_at_most(parts: Services):
    statements, stop = Statements(parts.database), threading.Event()
    worker = threading.Thread(target=WorkerThreads(parts).run, args=(stop,), kwargs={"threads": 16})
    worker.start()
    time.sleep(FIRST_LOOKS)
    before, began = len(statements.told), time.monotonic()
    time.sleep(IDLE_FOR)
    told = statements.told[before:]
    lasted = time.monotonic() - began
    stop.set()
    worker.join()
    assert before > 0
    assert len(told) / lasted <= MOST, "\n".join(sorted(told))


@pytest.fixture
def worker(here: Scene, tmp_path: Path) -> Iterator[None]:
    """Run `portal worker` as a separate process."""
    settings = here.parts.settings
    told = {
        "PORTAL_SECRET_KEY": settings.secret_key,
        "PORTAL_DATABASE_URL": settings.database_url,
        "PORTAL_TENANTS": str(settings.tenants),
        "PORTAL_ATTACHMENTS": settings.attachments,
        "PORTAL_MAIL": settings.mail,
    }
    command = [sys.executable, "-m", "portal.cli", "worker"]
    with (tmp_path / "worker.log").open("wb") as log:
        running = subprocess.Popen(command, env={**os.environ, **told}, stdout=log, stderr=log)
        yield
        running.terminate()
        running.wait()


def test_new_work_begins_within_half_a_second(here: Scene, worker: None):
    """The median of several measurements, repeated if the machine was busy: a slow poll never passes."""
    here.apply("first")
    here.until(lambda: here.acme.posted, "the worker is at work")
    medians = []
    for number in range(5):
        medians.append(statistics.median(latency(here, f"p{number}x{again}") for again in range(7)))
        if medians[-1] <= IN_TIME:
            break
    assert min(medians) <= IN_TIME


def latency(here: Scene, name: str) -> float:
    """Return the seconds from the receipt to the first request to the service about the application."""
    time.sleep(0.7)  # by then the worker is idle
    before = here.acme.read_back + len(here.acme.posted)
    here.apply(name)
    committed = time.monotonic()
    here.until(lambda: here.acme.read_back + len(here.acme.posted) > before, "it is begun")
    return time.monotonic() - committed
