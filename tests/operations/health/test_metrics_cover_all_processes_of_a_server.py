"""Each process of a server reports the metrics of all, including those of killed ones."""

import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from tests.journeys.server import processes, started
from tests.operations.health.figures import figure, read
from tests.parts.process import free_port
from tests.schemas import PORTAL, sqlite_copy

pytestmark = pytest.mark.verify

PAGES = 24


def until(true: Callable[[], object], seconds: float = 60) -> None:
    ends = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < ends
        time.sleep(0.2)


def test_metrics_of_all_processes_are_added_including_killed_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    port, temporary = free_port(), tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))  # other tests run servers on this machine, too

    def folders() -> list[Path]:
        return list(temporary.glob("careers-portal-counted-*"))

    def ask(path: str) -> httpx.Response:
        # A new connection each, so that both processes respond; one accepted by a killed process is closed.
        with httpx.Client(trust_env=False, timeout=20) as client:
            try:
                return client.get(f"http://127.0.0.1:{port}{path}")
            except httpx.TransportError:
                return client.get(f"http://127.0.0.1:{port}{path}")

    def counted(name: str, **labels: str) -> set[float | None]:
        return {figure(read(ask("/metrics").text), name, **labels) for _ in range(6)}

    pages = {"route": "/<slug>/", "method": "GET", "status": "2xx"}
    with started(tmp_path, sqlite_copy(tmp_path / "portal.db", PORTAL), "serve", "--workers", "2", port=port) as serve:
        until(lambda: counted("portal_processes") == {2.0})
        for number in range(PAGES):
            assert ask(f"/acme/?q=w{number}").status_code == 200
        assert counted("portal_http_seconds_count", **pages) == {PAGES}
        assert len(folders()) == 1
        processes(serve)[0].kill()
        until(lambda: counted("portal_processes") == {2.0} and len(processes(serve)) == 2)
        assert counted("portal_http_seconds_count", **pages) == {PAGES}
        serve.terminate()
        serve.wait(60)
    assert folders() == []
