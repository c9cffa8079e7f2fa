"""Schemathesis, every check and every phase, against the real server and its own description."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from portal.platform.clock import SystemClock
from tests.builders import SECRET, portal
from tests.parts.process import free_port, running
from tests.site.apply.conftest import vacancy
from tests.site.embed.front_end import FILE

pytestmark = [pytest.mark.soak, pytest.mark.verify]
EXAMPLES = os.environ.get("FUZZ_EXAMPLES", "5")
ROOT = Path(__file__).parents[3]
# What a schema cannot say: which company and job exist, that a list ignores invalid parameters, and that any bytes
# can be sent, but only documents are accepted.
CONFIG = """
[parameters]
"path.slug" = "acme"
"path.postingId" = "job-1"

[[operations]]
include-name = ["GET /{slug}/jobs.json", "GET /{slug}/jobs/{postingId}.json"]
checks.negative_data_rejection.enabled = false

[[operations]]
include-name = "POST /{slug}/uploads"
checks.positive_data_acceptance.expected-statuses = ["2xx", 413, 422]
checks.negative_data_rejection.enabled = false
"""


@pytest.fixture
def database_kind() -> str:
    """One is sufficient: other tests cover what is stored, on each database."""
    return "sqlite"


@pytest.fixture
def address(tmp_path: Path, portal_url: str) -> Iterator[str]:
    """A portal with one company and one job, on the real server."""
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    made = portal(tmp_path / "portal", clock=SystemClock(), base_url=base, database_url=portal_url)
    made.add_tenant("acme", "Acme", FILE)
    made.service.load("acme", [vacancy("job-1", "Welder")])
    made.work.mirror_what_is_due()
    settings = made.parts.settings
    made.parts.database.close()
    environment = {
        "PORTAL_SECRET_KEY": SECRET,
        "PORTAL_DATABASE_URL": settings.database_url,
        "PORTAL_TENANTS": str(settings.tenants),
        "PORTAL_ATTACHMENTS": settings.attachments,
        "PORTAL_MAIL": settings.mail,
        "PORTAL_BASE_URL": base,
        "PORTAL_TRUSTED_PROXIES": "1",
    }

    def answers() -> bool:
        try:
            return httpx.get(f"{base}/healthz", trust_env=False).is_success
        except httpx.HTTPError:
            return False

    serve = [sys.executable, "-m", "portal.cli", "serve", "--port", str(port)]
    with running(serve, log=tmp_path / "log", ready=answers, env=environment):
        yield base


def test_the_api_conforms_to_its_description(address: str, tmp_path: Path):
    (tmp_path / "schemathesis.toml").write_text(CONFIG)
    command = [str(Path(sys.executable).with_name("schemathesis"))]
    command += ["--config-file", str(tmp_path / "schemathesis.toml"), "run", f"{address}/openapi.json"]
    command += ["--checks", "all", "--continue-on-failure", "--workers", "1", "--max-examples", EXAMPLES]
    command += ["--seed", "1", "--generation-database", "none"]
    hooks = {"SCHEMATHESIS_HOOKS": "tests.site.embed.fuzzing", "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    found = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, **hooks}, capture_output=True, text=True, timeout=500, check=False
    )
    assert found.returncode == 0, found.stdout[-8_000:] + found.stderr[-2_000:]
    assert "Stateful" in found.stdout
    log = (tmp_path / "log").read_text()
    assert "ERROR" not in log
