"""A wrong name, a stopped service and each kind of invalid certificate are told apart in check, log and console."""

import json
import logging
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from portal.adapters.tracker_client import deadline
from portal.background.outbox.states import OutboxState
from portal.cli import portal
from tests.delivery.scene import Scene
from tests.operations.console.operator_console import open_console
from tests.parts.misbehaving import answer
from tests.parts.tls import Authority, authority

DAY = timedelta(days=1)


@pytest.fixture
def trusted(scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Authority]:
    """Make this process trust a certificate authority during the test, by the operators' setting."""
    made = authority(tmp_path / "authority")
    monkeypatch.setenv("SSL_CERT_FILE", str(made.file))
    deadline._ssl_context.cache_clear()
    scene.parts._sockets.close()
    scene.parts._sockets = deadline.DeadlineTransport()
    scene.parts._clients.clear()
    yield made
    deadline._ssl_context.cache_clear()


def set_service_url(scene: Scene, address: str) -> None:
    """Set the service's address in acme's tenant file."""
    file = scene.folder / "tenants" / "acme.toml"
    file.write_text(re.sub(r'base_url = "[^"]*"', f'base_url = "{address}"', file.read_text()))
    scene.clock.pass_time(1)


def configure_service(scene: Scene, how: str, trusted: Authority, folder: Path) -> None:
    """Configure acme's service; everything except name and port is correct."""
    acme = scene.acme
    acme.down()
    if how == "name":
        return set_service_url(scene, "https://tracker.invalid")
    if how != "port":
        acme.tls = {
            "expired": lambda: trusted.server(until=-DAY),
            "host": lambda: trusted.server(host="elsewhere.example"),
            "issuer": lambda: authority(folder / "stranger").server(),
        }[how]()
        acme.up()
    return set_service_url(scene, f"https://localhost:{acme.port}")


HOW = [
    ("name", "NameUnresolved", "the name tracker.invalid does not resolve", "has no address"),
    ("port", "ConnectionRefused", "nothing listens at localhost:", "Nothing listens"),
    ("expired", "CertificateExpired", "has expired", "has expired"),
    ("host", "CertificateWrongHost", "is for another name", "is for another name"),
    ("issuer", "CertificateUntrusted", "SSL_CERT_FILE", "does not trust"),
]


def checked(scene: Scene) -> dict[str, dict[str, Any]]:
    settings = scene.parts.settings
    told = {
        "PORTAL_SECRET_KEY": settings.secret_key,
        "PORTAL_DATABASE_URL": settings.database_url,
        "PORTAL_TENANTS": str(settings.tenants),
        "PORTAL_ATTACHMENTS": settings.attachments,
        "PORTAL_MAIL": settings.mail,
    }
    done = CliRunner().invoke(portal, ["check", "acme", "--json"], env=told)
    return {line["what"]: line for line in json.loads(done.stdout)}


@pytest.mark.parametrize(("how", "outcome", "says", "on_console"), HOW, ids=[one[0] for one in HOW])
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_log_check_and_console_report_the_reason(
    scene: Scene,
    trusted: Authority,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    how: str,
    outcome: str,
    says: str,
    on_console: str,
):
    configure_service(scene, how, trusted, tmp_path)
    reference = scene.apply()
    with caplog.at_level(logging.INFO):
        scene.deliver()
    found = scene.overview(reference)
    assert (found.state, found.last_failure) == (OutboxState.RETRY, outcome)
    assert any(says in message and outcome in message for message in caplog.messages)
    console = open_console(scene)
    assert on_console in console.read(f"/submissions/{reference}")
    assert on_console in console.read("/tenants/acme")
    caplog.clear()
    line = checked(scene)["service acme"]
    assert not line["ok"]
    assert says in line["says"]


@pytest.mark.parametrize(("days", "warns"), [(90, False), (14, False), (13, True), (1, True)], ids=str)
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_the_check_reports_when_the_certificate_expires(scene: Scene, trusted: Authority, days: int, warns: bool):
    scene.acme.down()
    scene.acme.tls = trusted.server(until=days * DAY + timedelta(hours=1))
    scene.acme.up()
    set_service_url(scene, f"https://localhost:{scene.acme.port}")
    lines = checked(scene)
    assert lines["service acme"]["ok"]
    line = lines["certificate acme"]
    assert (line["ok"], line["warns"]) == (True, warns)
    assert f"valid for {days} more day" in line["says"]


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_without_tls_no_certificate_is_reported(scene: Scene):
    assert "certificate acme" not in checked(scene)


def figure(scene: Scene) -> float | None:
    text = scene.app.test_client().get("/metrics").text
    found = re.search(r'^portal_service_certificate_days\{tenant="acme"\} ([0-9.-]+)$', text, re.MULTILINE)
    return float(found[1]) if found else None


def test_a_sync_records_the_expiry_for_metrics_and_console_until_it_is_renewed(scene: Scene, trusted: Authority):
    assert figure(scene) is None
    scene.acme.down()
    scene.acme.tls = trusted.server(until=10 * DAY)
    scene.acme.up()
    set_service_url(scene, f"https://localhost:{scene.acme.port}")
    scene.clock.pass_time(60)
    scene.work.mirror_what_is_due()
    assert 9.9 < (figure(scene) or 0) < 10
    assert "The certificate of its service is valid for 9 more days" in open_console(scene).read("/tenants/acme")
    scene.clock.pass_time(11 * 86_400)
    assert -2 < (figure(scene) or 0) < -0.9
    assert "The certificate of its service has expired" in open_console(scene).read("/tenants/acme")
    scene.acme.down()
    scene.acme.tls = trusted.server(until=90 * DAY)
    scene.acme.up()
    scene.work.mirror_what_is_due()
    assert 78 < (figure(scene) or 0) < 80
    assert "The certificate of its service" not in open_console(scene).read("/tenants/acme")
    set_service_url(scene, f"http://localhost:{scene.acme.port}")
    assert figure(scene) is None


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_certificate_that_is_already_expired_is_reported(scene: Scene, trusted: Authority):
    configure_service(scene, "expired", trusted, scene.folder)
    scene.clock.pass_time(60)
    scene.work.mirror_what_is_due()
    assert figure(scene) == 0
    assert "The certificate of its service has expired" in open_console(scene).read("/tenants/acme")


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_the_check_names_the_file_of_a_rejected_key(scene: Scene, monkeypatch: pytest.MonkeyPatch):
    scene.acme.pages = answer({}, status=401)
    assert f"or put a new key into {scene.folder / 'key'}" in checked(scene)["service acme"]["says"]
    monkeypatch.setenv("ACME_KEY", "a-key-of-the-service")
    file = scene.folder / "tenants" / "acme.toml"
    file.write_text(file.read_text().replace(f"file:{scene.folder / 'key'}", "env:ACME_KEY"))
    assert "or put a new key where tracker.api_key points" in checked(scene)["service acme"]["says"]
