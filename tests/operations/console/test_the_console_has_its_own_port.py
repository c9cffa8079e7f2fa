"""`portal console` serves the console on a separate port, by default on this machine only."""

import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from portal.app import create_console
from portal.cli import portal as command
from portal.platform.config.settings import child_environment
from portal.site.routing.access import Access, access_of
from tests import builders
from tests.builders import SECRET


def rules(app) -> set[str]:
    return {rule.rule for rule in app.url_map.iter_rules()}


def test_portal_and_console_share_no_routes(tmp_path: Path):
    made = builders.portal(tmp_path / "portal")
    console = create_console(made.parts)
    assert rules(console) & rules(made.app) == {"/", "/healthz", "/static/<path:filename>"}
    with made.browser() as client:
        for path in ("/submissions", "/log", "/refused", "/requests", "/tenants/acme"):
            assert client.get(path).status_code == 404


def test_every_page_of_the_console_is_marked_private(tmp_path: Path):
    console = create_console(builders.portal(tmp_path / "portal").parts)
    marks = {rule.rule: access_of(console.view_functions[rule.endpoint]) for rule in console.url_map.iter_rules()}
    assert marks.pop("/static/<path:filename>") is Access.PUBLIC
    assert marks.pop("/healthz") is Access.OPERATIONS
    assert set(marks.values()) == {Access.PRIVATE}


@pytest.mark.parametrize("host", ["0.0.0.0", "10.0.0.5", "::", "desk.example"])  # noqa: S104  must be rejected
def test_the_console_listens_on_other_addresses_only_with_authentication(
    tmp_path: Path, host: str, caplog: pytest.LogCaptureFixture
):
    own = {"PORTAL_SECRET_KEY": SECRET, "PORTAL_DATABASE_URL": f"sqlite:///{tmp_path / 'p.db'}"}
    assert CliRunner().invoke(command, ["console", "--host", host], env=own).exit_code == 1
    assert f"--host {host}: the console has no password" in caplog.text
    assert "PORTAL_CONSOLE_USER_HEADER" in caplog.text


def test_the_command_serves_the_console(tmp_path: Path):
    made = builders.portal(tmp_path / "portal")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings = made.parts.settings
    environment = child_environment(
        PORTAL_SECRET_KEY=SECRET,
        PORTAL_DATABASE_URL=settings.database_url,
        PORTAL_TENANTS=str(settings.tenants),
        PORTAL_ATTACHMENTS=settings.attachments,
        PORTAL_MAIL=settings.mail,
    )
    words = [sys.executable, "-m", "portal.cli", "console", "--port", str(port)]
    running = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        answer = _first_answer(f"http://127.0.0.1:{port}/", running)
        assert "There are no tenant files yet" in answer.text
        assert answer.headers["Cache-Control"] == "no-store"
        led = httpx.get(f"http://127.0.0.1:{port}/", headers={"Host": f"rebound.example:{port}"}, trust_env=False)
        assert led.status_code == 403
        assert httpx.get(f"http://127.0.0.1:{port}/acme/", trust_env=False).status_code == 404
    finally:
        running.terminate()
        running.wait(90)


def _first_answer(address: str, running: subprocess.Popen[bytes]) -> httpx.Response:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        assert running.poll() is None, "the console has ended"
        try:
            return httpx.get(address, trust_env=False, timeout=30)
        except httpx.TransportError:
            time.sleep(0.2)
    pytest.fail("the console does not respond")
