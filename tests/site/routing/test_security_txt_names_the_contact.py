"""/.well-known/security.txt (RFC 9116) of portal and service exists if a contact is configured, else 404."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from portal.platform.config.settings import TrackerSettings
from portal.tenants.languages import COMPLETE
from portal.tracker.app import create_tracker
from portal.tracker.tables import open_database
from tests import builders
from tests.schemas import TRACKER, sqlite_copy
from tests.told_clock import ToldClock

ADDRESS = "/.well-known/security.txt"
CONTACT, POLICY = "mailto:security@careers.example", "https://careers.example/security-policy"
NAMED = {"security_contact": CONTACT, "security_policy": POLICY}
CANONICAL = "https://careers.example/.well-known/security.txt"


def portal(folder: Path, **settings: object) -> httpx.Client:
    return builders.portal(folder, base_url="https://careers.example", **settings).browser()


def service(folder: Path, clock: ToldClock, **settings: str) -> httpx.Client:
    database = open_database(sqlite_copy(folder / "tracker.db", TRACKER))
    given = TrackerSettings(database_url=database.url, base_url="https://tracker.example", **settings)  # type: ignore[arg-type]  tests name settings
    app = create_tracker(given, clock=clock, database=database)
    return httpx.Client(transport=httpx.WSGITransport(app=app), base_url="https://tracker.example")


def fields(answer: httpx.Response) -> dict[str, str]:
    """Return the fields, each of which occurs once here; RFC 9116 §2.2: lines end in LF, names are followed by ": "."""
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.text.endswith("\n")
    pairs = [line.split(": ", 1) for line in answer.text.splitlines()]
    assert len({name for name, _ in pairs}) == len(pairs)
    return {name: value for name, value in pairs}  # noqa: C416  dict() of lists of two is not typed


def test_the_portal_names_contact_policy_languages_and_its_own_address(tmp_path: Path):
    clock = ToldClock()
    said = fields(portal(tmp_path, clock=clock, **NAMED).get(ADDRESS))
    expires = datetime.strptime(said.pop("Expires"), "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    assert timedelta(days=300) < expires - clock.now() < timedelta(days=365)
    languages = said.pop("Preferred-Languages").split(", ")
    assert languages == list(COMPLETE)
    assert said == {"Contact": CONTACT, "Policy": POLICY, "Canonical": CANONICAL}


def test_the_service_names_the_same_and_its_own_address(tmp_path: Path):
    said = fields(service(tmp_path, ToldClock(), **NAMED).get(ADDRESS))
    assert said.pop("Expires").endswith("T00:00:00Z")
    assert said == {
        "Contact": CONTACT,
        "Policy": POLICY,
        "Canonical": "https://tracker.example/.well-known/security.txt",
    }


def test_only_a_companys_own_host_has_the_file_with_that_address(tmp_path: Path):
    made = builders.portal(tmp_path, base_url="https://careers.example", security_contact=CONTACT)
    made.add_tenant("acme", "Acme", '[site]\nhosts = ["careers.acme.example"]\n')
    browser = made.browser()
    said = fields(browser.get(ADDRESS, headers={"Host": "careers.acme.example"}))
    assert said["Canonical"] == "https://careers.acme.example/.well-known/security.txt"
    assert "Policy" not in said
    assert browser.get(ADDRESS, headers={"Host": "evil.example"}).status_code == 400


def test_without_a_contact_there_is_no_file(tmp_path: Path):
    assert portal(tmp_path / "portal", security_policy=POLICY).get(ADDRESS).status_code == 404
    (tmp_path / "service").mkdir()
    assert service(tmp_path / "service", ToldClock(), security_policy=POLICY).get(ADDRESS).status_code == 404


def test_the_file_is_cached_for_a_day_and_revalidated(tmp_path: Path):
    clock = ToldClock(datetime(2026, 3, 1, 0, 0, 1, tzinfo=UTC))
    browser = portal(tmp_path, clock=clock, **NAMED)
    first = browser.get(ADDRESS)
    assert first.headers["Cache-Control"] == "public, max-age=0, must-revalidate"
    assert "Set-Cookie" not in first.headers
    clock.pass_time(86_000)
    again = browser.get(ADDRESS, headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304
    clock.pass_time(1_000)
    assert browser.get(ADDRESS).text != first.text


@pytest.mark.parametrize("contact", [CONTACT, "https://careers.example/report", "tel:+49-30-1234567"])
def test_a_contact_must_be_a_usable_address(contact: str):
    assert TrackerSettings.from_env({"PORTAL_SECURITY_CONTACT": contact}).security_contact == contact
