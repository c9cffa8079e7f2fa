"""MDN's HTTP Observatory scans hosts behind the sample of nginx, over HTTP and HTTPS, with a trusted certificate."""

import json
import os
import subprocess

import pytest

from tests.deploy.behind_nginx import OWN, PORTAL, Proxied
from tests.parts.lighthouse import NODE
from tests.parts.missing import file, program

pytestmark = [pytest.mark.xdist_group("behind-nginx"), pytest.mark.verify]
PATIENT = {"ABORT_TIMEOUT": "120000", "CLIENT_TIMEOUT": "60000"}
"""Milliseconds for a site, and for a page of it; the scanner's own ten seconds are short where all cores are busy."""


@pytest.mark.parametrize("host", [PORTAL, OWN])
def test_the_observatory_gives_an_a_plus_without_findings(site: Proxied, host: str):
    file(NODE / "node_modules/@mdn/mdn-http-observatory/package.json", how="python tools/install_parts.py, with npm")
    proxy = site.proxy
    command = [program("node", how="apt-get install nodejs"), "observatory.mjs", host, str(proxy.plain), str(proxy.tls)]
    trusting = {**os.environ, **PATIENT, "NODE_EXTRA_CA_CERTS": str(proxy.home / "authority.pem")}
    done = subprocess.run(command, cwd=NODE, env=trusting, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    found = json.loads(done.stdout)
    assert {name: one["result"] for name, one in found["tests"].items() if not one["pass"]} == {}
    assert found["scan"]["grade"] == "A+", found["scan"]
    assert found["tests"]["redirection"]["route"][:2] == [f"http://{host}/", f"https://{host}/"]
