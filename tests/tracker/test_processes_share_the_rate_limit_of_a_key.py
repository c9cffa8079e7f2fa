"""§5: requests of a key are counted over all processes of the service that share a Redis."""

import logging
from pathlib import Path

import httpx
import pytest

from portal.platform.config.settings import TrackerSettings
from portal.platform.errors import SettingsError
from portal.tracker import administration
from portal.tracker.app import create_tracker
from portal.tracker.tables import open_database
from tests.parts.process import free_port
from tests.parts.redis import RunningRedis
from tests.told_clock import ToldClock


def processes(folder: Path, rate_limits: str, how_many: int) -> list[httpx.Client]:
    """Return a client with the same key for each of several servers; the limit is three requests a minute."""
    environ = {
        "TRACKER_DATABASE_URL": f"sqlite:///{folder / 'tracker.db'}",
        "TRACKER_RATE_LIMIT": "3",
        "TRACKER_RATE_LIMITS": rate_limits,
    }
    settings, clock = TrackerSettings.from_env(environ), ToldClock()
    database = open_database(settings.database_url)
    administration.add_tenant(database, clock, "acme", "Acme Robotics")
    key = administration.create_key(database, clock, "acme")
    apps = [create_tracker(settings, clock=clock, database=database) for _ in range(how_many)]
    return [
        httpx.Client(transport=httpx.WSGITransport(app=app), base_url="http://service", headers={"x-api-key": key})
        for app in apps
    ]


def test_two_processes_allow_no_more_requests_than_one(tmp_path: Path, redis: RunningRedis):
    one, other = processes(tmp_path, redis.url, 2)
    answers = [client.get("/vacancies") for client in (one, other, one, other, one)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
    assert [answer.headers["RateLimit"] for answer in answers[:3]] == [f'"key";r={left};t=60' for left in (2, 1, 0)]
    assert answers[3].headers["Retry-After"] == "60"


def test_the_service_works_without_redis(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    (one,) = processes(tmp_path, f"redis://127.0.0.1:{free_port()}/0", 1)
    with caplog.at_level(logging.WARNING, "portal.platform.rate_limits"):
        assert [one.get("/vacancies").status_code for _ in range(4)] == [200, 200, 200, 429]
    assert len(caplog.messages) == 1


def test_an_invalid_redis_address_stops_the_start():
    with pytest.raises(SettingsError, match="TRACKER_RATE_LIMITS"):
        TrackerSettings.from_env({"TRACKER_RATE_LIMITS": "memcached://127.0.0.1"})
