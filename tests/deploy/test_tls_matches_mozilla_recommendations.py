"""sslyze compares the TLS of both samples with Mozilla's "intermediate" configuration; newer browsers get TLS 1.3."""

import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import pytest

from tests.deploy.behind_caddy import DEBIANS, NEWEST, caddy
from tests.deploy.behind_nginx import PORTAL, Behind, nginx
from tests.parts.missing import file
from tests.parts.process import free_port

pytestmark = pytest.mark.verify
PROXIES = {"nginx": nginx, "newest-caddy": partial(caddy, program=NEWEST), "debians": partial(caddy, program=DEBIANS)}


def scanned(behind: Behind, home: Path) -> subprocess.CompletedProcess[str]:
    """Scan the proxy's TLS; the results are in scan.json."""
    scanner = file(Path(sys.prefix) / "sslyze/bin/sslyze", how="python tools/install_parts.py")
    trusted = ["--certinfo_ca_file", str(behind.home / "authority.pem")]
    command = [str(scanner), "--mozilla_config", "intermediate", "--json_out", str(home / "scan.json"), *trusted]
    command.append(f"{PORTAL}:{behind.tls}{{127.0.0.1}}")
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize("proxy", PROXIES.values(), ids=PROXIES)
def test_the_scanner_finds_no_weak_tls_and_tls_1_3(
    proxy: Callable[[Path, tuple[int, int]], AbstractContextManager[Behind]], tmp_path: Path
):
    nobody = free_port()
    with proxy(tmp_path / "proxy", (nobody, nobody)) as behind:
        done = scanned(behind, tmp_path)
    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-2_000:]
    (server,) = json.loads((tmp_path / "scan.json").read_text())["server_scan_results"]
    suites = {name: one["result"] for name, one in server["scan_result"].items() if name.endswith("_cipher_suites")}
    spoken = {name for name, result in suites.items() if result["accepted_cipher_suites"]}
    assert spoken == {"tls_1_2_cipher_suites", "tls_1_3_cipher_suites"}
