"""Schemathesis, with every check and phase including stateful tests, finds no errors in the real server."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from portal.platform.clock import SystemClock
from tests.parts.process import free_port, running
from tests.tracker.office import opened

pytestmark = [pytest.mark.soak, pytest.mark.verify]
EXAMPLES = os.environ.get("FUZZ_EXAMPLES", "5")
# A schema cannot express that an id or cursor exists.
CONFIG = """
[parameters]
"path.publicTenantSlug" = "acme"
"query.companyId" = "{company}"

[[operations]]
include-name = "GET /candidates"
checks.positive_data_acceptance.expected-statuses = ["2xx", 400]

[[operations]]
include-name = ["POST /vacancies", "POST /candidates"]
checks.positive_data_acceptance.expected-statuses = ["2xx", 422]
"""


@pytest.fixture
def command(tracker_url: str, tmp_path: Path) -> Iterator[list[str]]:
    """Return the fuzzer's command line for a server with a vacancy and an application."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    with opened(tracker_url, SystemClock()) as office:
        office.apply(office.add_vacancy())
        key, company = office.key, office.company
    (tmp_path / "schemathesis.toml").write_text(CONFIG.format(company=company))
    environment = {
        "TRACKER_DATABASE_URL": tracker_url,
        "TRACKER_BASE_URL": address,
        "TRACKER_RATE_LIMIT": "10000000",
        "TRACKER_PUBLIC_RATE_LIMIT": "10000000",
    }

    def answers() -> bool:
        try:
            return httpx.get(f"{address}/healthz", trust_env=False).is_success
        except httpx.HTTPError:
            return False

    serve = [sys.executable, "-m", "portal.cli", "tracker", "serve", "--port", str(port)]
    with running(serve, log=tmp_path / "log", ready=answers, env=environment):
        command = [str(Path(sys.executable).with_name("schemathesis"))]
        command += ["--config-file", str(tmp_path / "schemathesis.toml"), "run", f"{address}/openapi.json"]
        command += ["--checks", "all", "--continue-on-failure", "--workers", "1", "--max-examples", EXAMPLES]
        yield [*command, "--seed", "1", "--generation-database", "none", "--header", f"x-api-key: {key}"]


def test_the_fuzzer_reports_no_errors(command: list[str], tmp_path: Path):
    found = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert found.returncode == 0, found.stdout[-6_000:]
    assert "Stateful" in found.stdout
