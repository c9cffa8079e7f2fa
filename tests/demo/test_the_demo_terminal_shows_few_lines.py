"""The demo's terminal shows the addresses around "Ready", and no line for each request of portal or service."""

import httpx
import pytest

from tests.parts.demo import RunningDemo

pytestmark = pytest.mark.xdist_group("demo")


def test_requests_are_not_printed_and_events_are(demo: RunningDemo):
    for address in (f"{demo.portal}/acme/", f"{demo.portal}/acme/nothing", f"{demo.service}/"):
        httpx.get(address, trust_env=False, timeout=60)
    said = demo.log.read_text()
    assert "Ready: open" in said
    assert "answered" not in said
    assert "started" in said
