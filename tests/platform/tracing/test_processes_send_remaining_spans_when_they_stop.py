"""Servers, workers and the service have trace names of their own, and send remaining spans when they stop."""

import subprocess
from pathlib import Path

import httpx
import pytest

from tests.journeys.server import command, settings, started
from tests.journeys.test_a_server_starts_without_its_database import until
from tests.parts.leaks import WITNESS
from tests.parts.process import free_port
from tests.platform.tracing.collector import Collector, collecting
from tests.schemas import PORTAL, sqlite_copy

pytestmark = pytest.mark.verify


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch):
    with collecting() as made:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", made.address)
        monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "600000")
        yield made


def test_server_processes_send_their_spans(tmp_path: Path, collector: Collector):
    port = free_port()
    with started(tmp_path, sqlite_copy(tmp_path / "portal.db", PORTAL), "serve", "--workers", "2", port=port):
        for _ in range(8):
            httpx.get(f"http://127.0.0.1:{port}/acme/", trust_env=False, timeout=30)
        assert collector.spans == []
    assert [one.name for one in collector.spans] == ["GET /<slug>/"] * 8
    assert {one["service.name"] for one in collector.resources} == {"portal-serve"}
    assert "opentelemetry" not in (tmp_path / "log").read_text()


def test_the_tracking_service_sends_its_spans_under_the_configured_name(
    tmp_path: Path, collector: Collector, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TRACKER_DATABASE_URL", f"sqlite:///{tmp_path / 'tracker.db'}")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "theirs")
    port = free_port()
    with started(tmp_path, "sqlite:///unused.db", "tracker", "serve", port=port):
        httpx.get(f"http://127.0.0.1:{port}/candidates", trust_env=False, timeout=30)
    assert [(one.service, one.name) for one in collector.spans] == [("theirs", "GET /candidates")]


def test_a_worker_sends_its_spans(tmp_path: Path, collector: Collector):
    url, log = sqlite_copy(tmp_path / "portal.db", PORTAL), tmp_path / "log"
    with log.open("ab") as out:
        worker = subprocess.Popen(command("worker"), env=settings(tmp_path, url), stderr=out, stdout=out)
        try:
            until(lambda: b"postponed" in log.read_bytes())
        finally:
            worker.terminate()
            worker.wait(120)
    WITNESS.read_file(log)
    looked = collector.named("read vacancies")
    assert looked
    assert looked[0].service == "portal-worker"
    assert (looked[0].failed, looked[0].said["portal.error"]) == (True, "ConnectionRefused")
