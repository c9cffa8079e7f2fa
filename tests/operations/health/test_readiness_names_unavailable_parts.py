"""/readyz names each unavailable part within seconds, and is ready while applications can be accepted."""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import psycopg
import pytest
import sqlalchemy as sa

from portal.adapters.tracker_client.errors import TrackerError
from portal.background.outbox.heartbeat import GONE, Heartbeat
from portal.background.sync.run import PassOptions
from portal.delivery.uploads.disk_space import Space
from portal.jobs.mirror import mirror
from portal.platform.clock import SystemClock
from portal.platform.errors import DatabaseUnavailable
from portal.platform.logs import Part as Told
from portal.platform.logs.events import Event
from portal.platform.logs.outage_log import Outage
from portal.tenants.model import TrackerLink
from tests import builders
from tests.operations.health.figures import of_part, read
from tests.parts.clamd import running_clamd
from tests.parts.misbehaving import html, misbehaving
from tests.parts.postgres import Postgres, running_postgres
from tests.parts.process import free_port, paused
from tests.parts.radosgw import RunningRadosgw
from tests.parts.redis import running_redis
from tests.schemas import PORTAL, postgres_template

IN_TIME = 15.0
"""Five seconds on a quiet machine; each of these parts would be waited for half a minute or longer."""
TOKEN = "a token for monitoring"


@contextmanager
def careers(folder: Path, **settings: object) -> Iterator[builders.Portal]:
    made = builders.portal(folder / "portal", metrics_token=TOKEN, **settings)
    made.add_tenant("acme", "Acme")
    made.parts.clock.pass_time(1)
    Heartbeat(made.parts.database, made.parts.clock).beat()
    yield made
    made.parts.close()


def ready(made: builders.Portal, *, later: float = 11, at_rest: bool = True) -> tuple[int, dict]:
    """at_rest: no part is changing its state, so that metrics match."""
    made.parts.clock.pass_time(later)
    with made.browser() as monitoring:
        began = time.monotonic()
        answer = monitoring.get("/readyz")
        assert time.monotonic() - began < IN_TIME
        told = answer.json()
        figures = read(monitoring.get("/metrics").text)
    for name, part in told["parts"].items():
        assert not at_rest or of_part(figures, name) == float(part["state"] != "down")
    return answer.status_code, told


def down(told: dict) -> set[str]:
    return {name for name, part in told["parts"].items() if part["state"] == "down"}


def test_every_available_part_is_listed_as_ok(tmp_path: Path):
    with careers(tmp_path) as made:
        status, told = ready(made)
    assert status == 200
    assert {part["state"] for part in told["parts"].values()} == {"ok"}
    assert not any("since" in part for part in told["parts"].values())
    assert told["uploads"] == "taken"
    assert set(told["parts"]) == {"database", "tenants", "store", "disks", "inspection", "mail", "workers", "services"}


def test_a_service_with_unreadable_vacancies_is_named_while_the_site_stays_ready(tmp_path: Path):
    with careers(tmp_path, transport=httpx.HTTPTransport()) as made:
        acme = replace(made.parts.tenants.require("acme"), tracker=TrackerLink("http://127.0.0.1:9", "acme", "k" * 20))
        for count in range(1, 4):
            assert ready(made)[1]["parts"]["services"]["state"] == "ok", count
            with pytest.raises(TrackerError):
                mirror.sync(made.parts.database, made.parts.upstream(acme), acme, made.parts.clock, PassOptions())
        status, told = ready(made)
        assert (status, told["parts"]["services"]["state"]) == (200, "degraded")
        assert "acme" in told["parts"]["services"]["says"]


def test_unauthorised_clients_see_only_ready_or_not(tmp_path: Path):
    with careers(tmp_path) as made, made.browser() as stranger:
        through = {"X-Forwarded-For": "192.0.2.1"}
        assert stranger.get("/readyz", headers=through).json() == {"ready": True}
        known = stranger.get("/readyz", headers={**through, "Authorization": f"Bearer {TOKEN}"}).json()
        assert "workers" in known["parts"]
        folder = made.folder / "attachments"
        folder.write_text("a file in its place")
        assert ready(made)[1]["uploads"] == "paused"
        made.parts.clock.pass_time(11)
        answer = stranger.get("/readyz", headers=through)
        assert (answer.status_code, answer.json()) == (503, {"ready": False})


def test_a_hanging_database_is_named(tmp_path: Path):
    with running_postgres() as server:
        server.create(name="portal", template=postgres_template(server, PORTAL))
        with careers(tmp_path, database_url=server.url("portal")) as made:
            assert ready(made)[0] == 200
            with paused(server.pid):
                status, told = ready(made)
                assert (status, down(told)) == (503, {"database"})
                assert set(told["missing"]) == {"database"}
                assert told["uploads"] == "paused"
                assert told["parts"]["database"]["means"]
                assert "workers" not in told["parts"]  # unknown
                assert ready(made)[1]["parts"]["database"]["since"] == told["parts"]["database"]["since"]
            settled(made)


def test_a_read_only_database_is_named(tmp_path: Path, postgres: Postgres, caplog: pytest.LogCaptureFixture):
    with (
        postgres.database(template=postgres_template(postgres, PORTAL)) as url,
        careers(tmp_path, database_url=url) as made,
    ):
        database = made.parts.database
        database.outage.log = Outage(Told.DATABASE, SystemClock())
        assert ready(made)[0] == 200
        told_to_read_only(url, "on")
        database.engine.dispose()
        with caplog.at_level(logging.INFO):
            for _ in range(3):
                with pytest.raises(DatabaseUnavailable):
                    Heartbeat(database, made.parts.clock).beat()
                with database.read() as connection:
                    connection.execute(sa.text("SELECT 1"))
            status, told = ready(made)
            assert (status, down(told)) == (503, {"database"})
            assert told["parts"]["database"]["says"].startswith("the database only reads")
            assert outages(caplog) == ["away"]
            told_to_read_only(url, "off")
            database.engine.dispose()
            assert ready(made)[0] == 200
            assert outages(caplog) == ["away", "recovered"]


def told_to_read_only(url: str, what: str) -> None:
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("SET default_transaction_read_only = off")
        name = connection.info.dbname
        connection.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = {what}')  # type: ignore[arg-type]  the test's own name


def outages(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the outages of the database in the log."""
    events = [one.msg for one in caplog.records if isinstance(one.msg, Event)]
    return [one.event for one in events if one.facts().get("part") == "database"]


@pytest.mark.parametrize(("free", "expected"), [(5_000_000, 200), (4_999_999, 503)])
def test_a_database_on_a_full_disk_is_named(tmp_path: Path, free: int, expected: int):
    with careers(tmp_path, free_space=lambda _: Space(10**9, free)) as made:
        status, told = ready(made)
    assert (status, down(told)) == (expected, {"database"} if expected == 503 else set())
    assert told["parts"]["disks"]["state"] == "degraded"


def test_a_hanging_redis_does_not_affect_readiness(tmp_path: Path):
    with running_redis() as redis, careers(tmp_path, rate_limits=redis.url) as made:
        assert ready(made)[1]["parts"]["limits"]["state"] == "ok"
        with paused(redis.pid):
            status, told = ready(made)
            assert (status, told["ready"], down(told)) == (200, True, {"limits"})
        settled(made)


def test_a_hanging_scanner_does_not_affect_readiness(tmp_path: Path):
    with running_clamd() as clamd, careers(tmp_path, scanner=clamd.address) as made:
        assert ready(made)[1]["parts"]["scanner"]["state"] == "ok"
        with paused(clamd.pid):
            status, told = ready(made)
            assert (status, down(told)) == (200, {"scanner"})
            assert told["parts"]["scanner"]["runbook"] == "docs/operating/troubleshoot.md#portalscanneraway"
        settled(made)


@pytest.mark.xdist_group("radosgw")
def test_a_hanging_file_storage_is_named(tmp_path: Path, s3: RunningRadosgw):
    with careers(tmp_path, attachments=f"s3://{s3.bucket}", s3_endpoint=s3.endpoint) as made:
        assert ready(made)[1]["parts"]["store"]["state"] == "ok"
        with paused(s3.pid):
            status, told = ready(made)
            assert (status, down(told)) == (503, {"store"})
            began = time.monotonic()
            assert ready(made)[0] == 503
            assert time.monotonic() - began < IN_TIME
        settled(made)


def test_an_unavailable_storage_and_an_unwritable_folder_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION"):
        monkeypatch.setenv(name, "eu-central-1")
    with careers(tmp_path, attachments="s3://bucket", s3_endpoint=f"http://127.0.0.1:{free_port()}") as made:
        status, told = ready(made)
        assert (status, down(told)) == (503, {"store"})
    with careers(tmp_path / "folder") as made:
        assert ready(made)[0] == 200
        (made.folder / "attachments").write_text("a file in its place")
        status, told = ready(made)
        assert (status, down(told)) == (503, {"store"})


def test_another_server_at_the_address_of_the_storage_is_detected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION"):
        monkeypatch.setenv(name, "eu-central-1")
    with misbehaving(html()) as server, careers(tmp_path, attachments="s3://bucket", s3_endpoint=server.url) as made:
        status, told = ready(made)
    assert (status, down(told)) == (503, {"store"})
    assert told["uploads"] == "paused"


def test_missing_workers_are_named_and_do_not_affect_readiness(tmp_path: Path):
    with careers(tmp_path) as made:
        assert ready(made, later=GONE.total_seconds() - 2)[1]["parts"]["workers"]["state"] == "ok"
        status, told = ready(made, later=2)
        assert (status, down(told)) == (200, {"workers"})
        assert told["parts"]["workers"]["means"].startswith("applications are accepted and wait")


def test_an_invalid_tenant_file_is_named(tmp_path: Path):
    with careers(tmp_path) as made:
        made.parts.settings.tenants.joinpath("globex.toml").write_text("name = 4\n")
        status, told = ready(made)
        part = told["parts"]["tenants"]
        assert (status, part["state"]) == (200, "degraded")
        assert "globex" in part["says"]
        with made.browser() as monitoring:
            text = monitoring.get("/metrics").text
        assert 'portal_tenant_file_wrong{tenant="globex"} 1.0' in text
        assert 'portal_tenant_file_wrong{tenant="acme"} 0.0' in text


def settled(made: builders.Portal) -> None:
    """Wait until the portal has recovered and hanging threads have ended, so that they do not affect the next test."""
    ends = time.monotonic() + 120
    while down(ready(made, at_rest=False)[1]) - {"workers"}:
        assert time.monotonic() < ends
        time.sleep(0.2)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("look at")]
