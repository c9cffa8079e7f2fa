import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import httpx

from portal.platform.database.db import Database
from tests.journeys.server import command, processes, settings, started
from tests.parts.postgres import running_postgres
from tests.parts.process import free_port
from tests.schemas import PORTAL, postgres_template


def until(true: Callable[[], object], *, seconds: float = 60) -> None:
    ends = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < ends
        time.sleep(0.1)


def test_visitors_get_an_error_page_until_the_database_is_available(tmp_path: Path):
    database_port, port = free_port(), free_port()
    url = f"postgresql+psycopg://portal@127.0.0.1:{database_port}/portal"
    site = httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=20)
    with started(tmp_path, url, "serve", port=port) as server, site:
        away = site.get("/acme/")
        assert away.status_code == 503
        assert int(away.headers["Retry-After"]) > 0
        assert "Acme" in away.text
        assert "database" in site.get("/readyz").json()["missing"]

        (served,) = processes(server)
        served.kill()
        until(lambda: [one for one in processes(server) if one.pid != served.pid])
        until(lambda: _status(site, "/healthz") == 200)
        assert _status(site, "/acme/") == 503

        with running_postgres(port=database_port) as postgres:
            postgres.create(name="portal")
            assert _status(site, "/acme/") == 503  # its schema does not exist yet
            database = Database(url, migrations=PORTAL)
            database.upgrade()
            database.close()
            until(lambda: _status(site, "/acme/") == 200)
            assert _status(site, "/readyz") == 200
        assert server.poll() is None


def _status(site: httpx.Client, path: str) -> int:
    try:
        return site.get(path).status_code
    except httpx.HTTPError:
        return 0


def test_a_worker_waits_for_its_database_and_can_still_be_stopped(tmp_path: Path):
    database_port = free_port()
    url = f"postgresql+psycopg://portal@127.0.0.1:{database_port}/portal"
    log, health = tmp_path / "log", free_port()
    words = command("worker", "--health-listen", f"127.0.0.1:{health}")
    with log.open("wb") as out:
        worker = subprocess.Popen(words, env=settings(tmp_path, url), stderr=out, stdout=out)
    watched = httpx.Client(base_url=f"http://127.0.0.1:{health}", trust_env=False, timeout=20)
    try:
        until(lambda: "database is unavailable" in log.read_text())
        until(lambda: _status(watched, "/healthz") == 200)
        assert _status(watched, "/metrics") == 404
        with running_postgres(port=database_port) as postgres:
            postgres.create(name="portal", template=postgres_template(postgres, PORTAL))
            database = Database(url, migrations=PORTAL)
            until(lambda: _was_tried(database))  # it ran the sync that was due
            database.close()
            assert worker.poll() is None
            assert _status(watched, "/healthz") == 200
    finally:
        watched.close()
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(90) == 0


def test_a_worker_that_waited_for_its_database_also_waits_for_the_schema(tmp_path: Path):
    database_port, log = free_port(), tmp_path / "log"
    url = f"postgresql+psycopg://portal@127.0.0.1:{database_port}/portal"
    with log.open("wb") as out:
        worker = subprocess.Popen(command("worker"), env=settings(tmp_path, url), stderr=out, stdout=out)
    try:
        until(lambda: "database is unavailable" in log.read_text())
        with running_postgres(port=database_port) as postgres:
            postgres.create(name="portal")
            until(lambda: "portal db upgrade" in log.read_text())
            time.sleep(5)  # in which it checks twice more
            assert worker.poll() is None
            assert log.read_text().count("portal db upgrade") == 1
            database = Database(url, migrations=PORTAL)
            database.upgrade()
            until(lambda: _was_tried(database))
            database.close()
    finally:
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(90) == 0


def _was_tried(database: Database) -> bool:
    import sqlalchemy as sa

    from portal.background.sync.tables import passes

    with database.read() as connection:
        return bool(connection.execute(sa.select(passes.c.failures)).first())
