"""The service has /readyz, with its database, and /metrics with the same access rule as the portal."""

from pathlib import Path

import pytest

from portal.platform.clock import SystemClock
from portal.platform.config.settings import TrackerSettings
from portal.tracker.app import create_tracker
from portal.tracker.tables import open_database
from tests.operations.health.figures import figure, read
from tests.parts.postgres import running_postgres
from tests.parts.process import paused
from tests.schemas import TRACKER, sqlite_copy

TOKEN = "a token for monitoring"


@pytest.fixture
def service(tmp_path: Path):
    database = open_database(sqlite_copy(tmp_path / "tracker.db", TRACKER))
    app = create_tracker(TrackerSettings(metrics_token=TOKEN, rate_limit=5), clock=SystemClock(), database=database)
    yield app.test_client()
    database.close()


def test_a_token_is_required_behind_tls(tmp_path: Path):
    database = open_database(sqlite_copy(tmp_path / "tracker.db", TRACKER))
    settings = TrackerSettings(metrics_token=TOKEN, base_url="https://tracker.example")
    service = create_tracker(settings, clock=SystemClock(), database=database).test_client()
    assert service.get("/metrics").status_code == 401
    assert service.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    database.close()


def test_only_authorised_clients_see_metrics(service):
    elsewhere = {"REMOTE_ADDR": "192.0.2.1"}
    assert service.get("/metrics").status_code == 200
    refused = service.get("/metrics", environ_overrides=elsewhere)
    assert (refused.status_code, "tracker_" in refused.text) == (401, False)
    for name in ("X-Forwarded-For", "X-Real-IP", "Via"):
        assert service.get("/metrics", headers={name: "127.0.0.1"}).status_code == 401
    # The HTTP version that nginx uses by default.
    assert service.get("/metrics", environ_overrides={"SERVER_PROTOCOL": "HTTP/1.0"}).status_code == 401
    told = service.get("/metrics", environ_overrides=elsewhere, headers={"Authorization": f"Bearer {TOKEN}"})
    assert figure(read(told.text), "tracker_part_up", part="database") == 1
    for host in ("tracker.example", "["):
        assert service.get("/metrics", headers={"Host": host}).status_code == 401
    assert service.get("/readyz").get_json() == {"ready": True, "missing": {}}
    assert service.get("/readyz", environ_overrides=elsewhere).get_json() == {"ready": True}


def test_rejected_keys_and_requests_are_counted(service):
    def count(name: str, **labels: str) -> float:
        return figure(read(service.get("/metrics").text), name, **labels) or 0

    asked = {"route": "/vacancies", "method": "GET", "status": "4xx"}
    before = count("tracker_keys_refused_total"), count("tracker_http_seconds_count", **asked)
    assert service.get("/vacancies", headers={"x-api-key": "nobody's"}).status_code == 401
    after = count("tracker_keys_refused_total"), count("tracker_http_seconds_count", **asked)
    assert after == (before[0] + 1, before[1] + 1)


def test_the_service_exports_no_metrics_of_the_portal(service):
    assert "portal_" not in service.get("/metrics").text


def test_a_hanging_database_is_reported_in_time():
    with running_postgres() as server:
        database = open_database(server.url(server.create(name="service")))
        watched = create_tracker(TrackerSettings(), clock=SystemClock(), database=database).test_client()
        assert watched.get("/readyz").status_code == 200
        with paused(server.pid):
            answer = watched.get("/readyz")
            assert (answer.status_code, answer.get_json()["ready"]) == (503, False)
            assert figure(read(watched.get("/metrics").text), "tracker_part_up", part="database") == 0
        database.close()
