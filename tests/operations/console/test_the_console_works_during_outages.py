"""During outages the console shows what is known, and no page waits for an unavailable part."""

import threading
from pathlib import Path

import httpx
import pytest

from portal.app import create_console
from portal.operations.console.preflight_run import CheckResult, NoResult
from portal.platform.config.settings import Settings
from portal.platform.errors import SettingsError
from tests import builders
from tests.delivery.service import refused
from tests.operations.console.operator_console import HERE, OperatorConsole, words
from tests.parts.misbehaving import answer


def test_without_its_database_the_console_reports_it_and_shows_tenant_files(tmp_path: Path):
    made = builders.portal(tmp_path / "portal")
    made.write_tenant("acme", "Acme")
    (made.parts.settings.tenants / "globex.toml").write_text('name = "Globex"\n[publish]\nstages = "Open"\n')
    made.parts.database.close()
    Path(made.parts.settings.database_url.removeprefix("sqlite:///")).unlink()
    made.parts.schema_checked = False
    with httpx.Client(transport=httpx.WSGITransport(app=create_console(made.parts)), base_url=HERE) as client:
        start, list_ = client.get("/"), client.get("/submissions")
    said = words(start.text)
    assert start.status_code == 200
    assert "Something is wrong" in said
    assert "does not exist" in said
    assert 'href="/manual/troubleshoot#portaldatabaseaway"' in start.text
    assert "The database is not responding, so only the tenant files are shown." in said
    assert "Acme: its file is valid" in said
    assert "line 3: publish.stages: expected a list" in said
    assert list_.status_code == 503
    assert "The database is unavailable" in list_.text


def test_an_invalid_tenant_file_is_named_with_its_line(console: OperatorConsole):
    broken = console.parts.settings.tenants / "acme.toml"
    broken.write_text('name = "Acme"\n[publish]\nstages = "Open"\n')
    console.scene.clock.pass_time(1)
    for address in ("/", "/tenants/acme"):
        said = console.read(address)
        assert "Tenant file acme.toml: " in said
        assert "line 3: publish.stages: expected a list" in said
        assert "The site continues with its last valid file. A correction takes effect immediately." in said


def test_a_check_runs_in_the_background_and_is_recorded(console: OperatorConsole):
    goes_on, begun = threading.Event(), threading.Event()

    def hang(slug: str) -> list[CheckResult]:
        begun.set()
        goes_on.wait(60)
        return [CheckResult(f"service {slug}", ok=False, says="the key is refused")]

    console.app = create_console(console.parts, run_check=hang)
    assert "Check now" in console.read("/tenants/acme")
    assert not begun.is_set(), "no check runs before the button is pressed"
    assert console.press("/tenants/acme", "/tenants/acme/check").status_code == 303
    assert begun.wait(60)
    assert "Running since" in console.read("/tenants/acme")
    assert console.press("/tenants/acme", "/tenants/acme/check").status_code == 303, "pressed twice, it runs once"
    goes_on.set()
    console.scene.until(lambda: "Running since" not in console.read("/tenants/acme"), "the check is done")
    assert "Failed service acme the key is refused" in console.read("/tenants/acme")
    assert console.log() == [("desk", "check", "acme", "refused"), ("desk", "check", "acme", "done")]


def test_a_check_that_never_ends_shows_the_reason(console: OperatorConsole):
    def never(_slug: str) -> list[CheckResult]:
        raise NoResult("It did not finish within 90 seconds: something it checks is hanging.")

    console.app = create_console(console.parts, run_check=never)
    console.press("/tenants/acme", "/tenants/acme/check")
    console.scene.until(lambda: "It did not finish within 90 seconds" in console.read("/tenants/acme"), "it says so")


def test_try_now_ends_the_pause_and_sends_the_oldest(console: OperatorConsole):
    first = console.scene.apply()
    console.scene.acme.mood = lambda _: refused(answer({}, status=401))
    console.scene.deliver()
    console.scene.acme.mood = lambda _: refused(answer({}, status=200))
    console.scene.deliver()
    assert console.scene.overview(first).state == "retry", "its service is in a pause"
    assert console.press("/tenants/acme", "/tenants/acme/wake").status_code == 303
    console.scene.deliver()
    assert console.scene.overview(first).state == "delivered"
    assert console.log() == [("desk", "wake", "acme", "done")]


def test_an_invalid_setting_of_the_console_is_named():
    for name, value, expected in [
        ("PORTAL_CONSOLE_USER_HEADER", "X User", "the name of a header"),
        ("PORTAL_CONSOLE_PROXIES", "proxy.example", "expected addresses or networks"),
        ("PORTAL_CONSOLE_ORIGIN", "desk.example", "expected an origin"),
    ]:
        with pytest.raises(SettingsError, match=f"{name}: .*{expected}"):
            Settings.from_env({"PORTAL_SECRET_KEY": "s" * 16, name: value})
