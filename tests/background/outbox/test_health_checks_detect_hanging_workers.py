"""The health check of a worker fails if its threads hang, and succeeds while only the database is unavailable."""

import threading
import time
from pathlib import Path
from wsgiref.util import setup_testing_defaults

import pytest

from portal.background.outbox.heartbeat import Heartbeat, worker_status
from portal.gateway.health_server import answering
from portal.platform.database.db import Database
from portal.platform.errors import DatabaseUnavailable
from portal.worker import WorkerThreads
from tests import builders
from tests.schemas import PORTAL
from tests.told_clock import ToldClock


def status(work: WorkerThreads) -> str:
    said: list[str] = []
    environ: dict[str, object] = {}
    setup_testing_defaults(environ)
    list(answering(work.is_alive)(environ, lambda line, *_: said.append(line)))  # type: ignore[arg-type, func-returns-value]  only the exit status matters
    return said[0]


def test_hanging_threads_fail_the_health_check(tmp_path: Path):
    clock, stop = ToldClock(), threading.Event()
    parts = builders.portal(tmp_path / "portal", clock=clock).parts
    work = WorkerThreads(parts)
    assert status(work) == "200 OK", "the worker waits for its database"
    running = threading.Thread(target=work.run, args=(stop,), kwargs={"threads": 1})
    running.start()
    try:
        until = time.monotonic() + 60
        while worker_status(parts.database, clock.now()).fresh == 0:
            assert time.monotonic() < until
            time.sleep(0.01)
        assert status(work) == "200 OK"
        clock.pass_time(181)  # immediately: the worker attempted no heartbeat in all that time
        assert status(work) == "503 Service Unavailable"
    finally:
        stop.set()
        running.join(60)
    assert not running.is_alive()


def test_an_unavailable_database_does_not_fail_the_health_check():
    clock = ToldClock()
    away = Database("postgresql+psycopg://portal@127.0.0.1:9/portal", migrations=PORTAL, clock=clock)
    heartbeat = Heartbeat(away, clock)
    for _ in range(3):
        with pytest.raises(DatabaseUnavailable):
            heartbeat.beat()
        clock.pass_time(100)
        assert not heartbeat.is_stuck()
    clock.pass_time(100)
    assert heartbeat.is_stuck()
    away.close()
