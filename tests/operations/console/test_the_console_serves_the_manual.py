"""The console serves the manual, also while the database is unavailable, and no other files."""

from pathlib import Path

import httpx
import pytest

from portal.app import create_console
from portal.platform.config.settings import Settings
from portal.platform.errors import SettingsError
from tests import builders
from tests.operations.console.conftest import Visit
from tests.operations.console.operator_console import HERE, words


def test_a_runbook_is_a_section_of_a_page_with_a_table_of_contents(visit: Visit):
    page = visit("/manual/troubleshoot")
    assert page.status_code == 200
    assert '<h3 id="portalmailaway">PortalMailAway</h3>' in page.text
    assert '<a href="/manual/backup-and-upgrade#messages-about-the-schema">' in page.text
    assert '<a href="#applications-are-waiting">Applications are waiting</a>' in page.text
    assert visit("/manual").headers["Location"] == "/manual/operating"


def test_documents_outside_the_wheel_are_named_and_not_linked(visit: Visit):
    page = visit("/manual/monitor").text
    assert "deploy/prometheus/alerts.yml contains the alerts" in words(page)
    assert "alerts.yml</a>" not in page
    assert 'href="/manual/settings#settings"' in visit("/manual/configure").text


@pytest.mark.parametrize(
    "name", ["nothing", "README", "../pyproject", "..%2Fpyproject", "%2e%2e/README.md", "troubleshoot.md", "t" * 9000]
)
def test_no_other_file_is_served(visit: Visit, name: str):
    assert visit(f"/manual/{name}").status_code == 404


def test_the_manual_is_served_without_the_database(tmp_path: Path):
    made = builders.portal(tmp_path / "portal")
    made.parts.database.close()
    Path(made.parts.settings.database_url.removeprefix("sqlite:///")).unlink()
    made.parts.schema_checked = False
    with httpx.Client(transport=httpx.WSGITransport(app=create_console(made.parts)), base_url=HERE) as client:
        assert client.get("/manual/troubleshoot").status_code == 200


@pytest.mark.parametrize("visit", [{"runbooks": "https://wiki.example/portal"}], indirect=True)
def test_runbooks_can_be_configured_elsewhere(visit: Visit):
    assert 'href="https://wiki.example/portal/troubleshoot#portalnoworker"' in visit().text


@pytest.mark.parametrize(
    "wrong", ["wiki", "ftp://wiki.example", "https://w.example/#a", "https://w.example/?a", "https://w x"]
)
def test_an_invalid_address_of_runbooks_is_named(wrong: str):
    with pytest.raises(SettingsError, match="PORTAL_RUNBOOKS: expected an address"):
        Settings.from_env({"PORTAL_SECRET_KEY": "s" * 16, "PORTAL_RUNBOOKS": wrong})
