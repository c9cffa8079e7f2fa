"""A paused PostgreSQL, which accepts connections and never responds, blocks no request for long."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from portal.platform.database.db import Database
from portal.platform.errors import DatabaseUnavailable
from tests.journeys.server import started
from tests.parts.postgres import Postgres, running_postgres
from tests.parts.process import free_port, paused
from tests.schemas import PORTAL, postgres_template

pytestmark = pytest.mark.verify

VISITORS = 24
IN_TIME = 5.0
"""Seconds within which somebody is told, on a quiet machine; a busy one may take several times as long."""


@pytest.fixture
def server() -> Iterator[Postgres]:
    with running_postgres() as own:
        own.create(name="portal", template=postgres_template(own, PORTAL))
        yield own


def test_visitors_get_an_error_in_time_and_the_site_recovers_automatically(tmp_path: Path, server: Postgres):
    port = free_port()
    url = server.url("portal")
    site = httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=60)

    def ask(path: str) -> tuple[int, float]:
        began = time.monotonic()
        return site.get(path).status_code, time.monotonic() - began

    with started(tmp_path, url, "serve", port=port), site, ThreadPoolExecutor(VISITORS) as visitors:
        assert ask("/acme/")[0] == 200
        with paused(server.pid):
            # Each has a different address, so that none can be served from the cache.
            told = [visitors.submit(ask, f"/acme/?q=word{number}") for number in range(VISITORS)]
            lively = ask("/healthz")
            found = [one.result() for one in told]
            assert lively[0] == 200
            assert {status for status, _ in found} == {503}
            # In sequence they would take four seconds for every four of them.
            assert max(seconds for _, seconds in found) < 3 * IN_TIME
            assert ask("/readyz")[0] == 503
        ends = time.monotonic() + 60
        while ask("/acme/?q=again")[0] != 200:
            assert time.monotonic() < ends
            time.sleep(0.2)


def test_a_statement_that_takes_too_long_is_cancelled_and_its_locks_are_released(server: Postgres):
    import sqlalchemy as sa

    database = Database(server.url("portal"), migrations=PORTAL, timeout=2)
    with pytest.raises(DatabaseUnavailable), database.read() as connection:
        connection.execute(sa.text("SELECT pg_sleep(30)"))
    with database.read() as connection:  # the process stays alive, so others can proceed
        assert connection.scalar(sa.text("SELECT 1")) == 1
    patient = Database(server.url("portal"), migrations=PORTAL)
    with patient.read() as connection:
        running = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30)%' AND state = 'active'"
        assert connection.scalar(sa.text(running)) == 1  # this process
    patient.close()
    database.close()


def test_a_lock_that_is_never_released_delays_one_request_and_no_process(server: Postgres):
    import sqlalchemy as sa

    patient = Database(server.url("portal"), migrations=PORTAL)
    hurried = Database(server.url("portal"), migrations=PORTAL, timeout=2)
    with patient.write() as holder:
        holder.execute(sa.text("SELECT pg_advisory_xact_lock(4711)"))
        with pytest.raises(DatabaseUnavailable), hurried.write() as connection:
            connection.execute(sa.text("SELECT pg_advisory_xact_lock(4711)"))
    patient.close()
    hurried.close()


def test_after_one_timeout_only_one_request_tries_again(server: Postgres):
    database = Database(server.url("portal"), migrations=PORTAL, timeout=2)
    with database.read():
        pass
    with paused(server.pid):
        began = time.monotonic()
        with pytest.raises(DatabaseUnavailable), database.read():
            pass
        waited = time.monotonic() - began
        with pytest.raises(DatabaseUnavailable, match="a moment ago"), database.read():
            pass
        assert time.monotonic() - began < waited + 1  # no second time for a new connection
        time.sleep(2.1)  # then one request tries, and waits
        with pytest.raises(DatabaseUnavailable, match="Timeout"), database.read():
            pass
    ends = time.monotonic() + 60
    while True:
        try:
            with database.read():
                break
        except DatabaseUnavailable:
            assert time.monotonic() < ends
            time.sleep(0.1)
    with database.read():
        pass
    database.close()
