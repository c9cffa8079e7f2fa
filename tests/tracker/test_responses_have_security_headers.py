"""Every response of the interface, including errors, has headers against scripts, framing, sniffing and referrers."""

import pytest

from portal.platform.config.settings import TrackerSettings
from portal.tracker.app import create_tracker
from tests.tracker.office import Office


@pytest.mark.parametrize(
    "path", ["/openapi.json", "/reference.css", "/", "/healthz", "/readyz", "/vacancies", "/nothing", "/metrics"]
)
def test_every_response_has_the_security_headers(sqlite_office: Office, path: str):
    answer = sqlite_office.public.get(path)
    policy = dict(part.partition(" ")[::2] for part in answer.headers["Content-Security-Policy"].split("; "))
    assert {
        name: policy[name] for name in ("default-src", "base-uri", "form-action", "frame-ancestors")
    } == dict.fromkeys(("default-src", "base-uri", "form-action", "frame-ancestors"), "'none'")
    assert "script-src" not in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert "Strict-Transport-Security" not in answer.headers


def test_hsts_is_sent_if_the_service_uses_https(sqlite_office: Office):
    settings = TrackerSettings(database_url=sqlite_office.database.url, base_url="https://tracker.example")
    secure = create_tracker(settings, clock=sqlite_office.clock, database=sqlite_office.database)
    for path in ("/vacancies", "/openapi.json"):
        assert secure.test_client().get(path).headers["Strict-Transport-Security"] == "max-age=31536000"
