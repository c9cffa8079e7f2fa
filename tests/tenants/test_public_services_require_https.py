"""A tenant file with an unencrypted URL of a public service is rejected, unless explicitly allowed."""

from pathlib import Path

import pytest

from portal.platform.clock import SystemClock
from portal.platform.config.settings import Settings
from portal.services import Services
from portal.tenants.folder import Tenants

CLEAR = "http://tracker.example:8001/api"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_KEY", "k")


def tenants(folder: Path, base_url: str, allowed: str = "") -> Tenants:
    text = f'name = "Acme"\n[tracker]\nbase_url = "{base_url}"\napi_key = "env:ACME_KEY"\n'
    (folder / "acme.toml").write_text(text, encoding="utf-8")
    settings = Settings.from_env(
        {
            "PORTAL_HOME": str(folder),
            "PORTAL_SECRET_KEY": "k" * 16,
            "PORTAL_TENANTS": str(folder),
            "PORTAL_ALLOW_INSECURE": allowed,
        }
    )
    services = Services.open(settings, clock=SystemClock(), log_outages=False)
    services.close()
    return services.tenants


@pytest.mark.parametrize("allowed", ["", "smtp-clear"])
def test_http_is_rejected_with_its_line_and_remedy(tmp_path: Path, allowed: str):
    known = tenants(tmp_path, CLEAR, allowed)
    assert known.all() == []
    said = known.problems()["acme"]
    assert said.startswith("acme.toml: line 3: tracker.base_url: expected https://")
    assert said.endswith("PORTAL_ALLOW_INSECURE=service-http allows it")
    assert "tracker.example" not in said


def test_an_operator_can_allow_http(tmp_path: Path):
    known = tenants(tmp_path, CLEAR, "service-http")
    assert [tenant.tracker.base_url for tenant in known.all()] == [CLEAR]
    assert known.problems() == {}


@pytest.mark.parametrize(
    "base_url", ["https://tracker.example", "http://tracker:8001", "http://10.0.0.7", "http://[::1]:8001"]
)
def test_https_and_private_networks_need_no_exception(tmp_path: Path, base_url: str):
    assert [tenant.tracker.base_url for tenant in tenants(tmp_path, base_url).all()] == [base_url]
