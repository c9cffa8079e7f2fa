"""Failures of a collector do not affect requests, and are logged once."""

import logging
import time

import pytest

from portal.platform import tracing
from portal.platform.tracing.otlp import Tracing
from tests.builders import Portal
from tests.parts.process import free_port
from tests.platform.logs.log_reader import reading_log
from tests.platform.tracing.collector import collecting

PAGES = 30


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch):
    """Send spans immediately, from a short queue that is soon full."""
    for name, value in {"SCHEDULE_DELAY": "10", "MAX_QUEUE_SIZE": "8", "MAX_EXPORT_BATCH_SIZE": "2"}.items():
        monkeypatch.setenv(f"OTEL_BSP_{name}", value)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")


def visit(acme: Portal) -> float:
    began = time.monotonic()
    with acme.browser() as client:
        assert {client.get("/acme/").status_code for _ in range(PAGES)} == {200}
    return time.monotonic() - began


def lines_of(said: list[dict[str, object]]) -> list[dict[str, object]]:
    return [line for line in said if line.get("event") != "answered"]


@pytest.mark.parametrize("answer", [400, 404, 429, 500, 503])
def test_a_rejecting_collector_is_logged_once(acme: Portal, monkeypatch: pytest.MonkeyPatch, answer: int):
    with collecting(answer) as collector, reading_log() as log_reader:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.address)
        tracing.begin("portal-serve")
        visit(acme)
        until_asked = time.monotonic() + 60
        while collector.requests < 2 and time.monotonic() < until_asked:
            time.sleep(0.05)
        tracing.end()
    (line,) = lines_of(log_reader.lines)
    assert (line["level"], line["logger"]) == ("warning", "portal.platform.tracing.otlp")
    assert "the collector did not take" in str(line["message"])


def test_an_unavailable_collector_is_logged_once(acme: Portal, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{free_port()}")
    with reading_log() as log_reader:
        tracing.begin("portal-serve")
        for _ in range(2):
            visit(acme)
            time.sleep(0.3)
        tracing.end()
    assert len(lines_of(log_reader.lines)) == 1


def test_a_hanging_collector_delays_no_request_and_no_shutdown(acme: Portal, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "600")
    with collecting(None) as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.address)
        tracing.begin("portal-serve")
        took = visit(acme)
        assert took < 300, "a request waited for the collector"
        assert collector.requests == 1
        began = time.monotonic()
        tracing.end()
        assert time.monotonic() - began < 300


def test_the_queue_of_spans_is_bounded(acme: Portal):
    source = Tracing("portal-serve")
    for _ in range(100):
        source.start("nothing").end()
    try:
        assert len(source._sending._batch_processor._queue) <= 8
    finally:
        source.end(0.1)


def test_lost_spans_are_counted_until_the_next_log_line():
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

    from portal.platform.tracing.otlp import RateLimitedLog
    from tests.told_clock import ToldClock

    class UnavailableExporter(SpanExporter):
        def export(self, _spans: object) -> SpanExportResult:
            raise OSError("a reason with words")

    clock, log_reader = ToldClock(), []
    handler = logging.Handler()
    handler.emit = lambda record: log_reader.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger("portal.platform.tracing.otlp").addHandler(handler)
    try:
        sending = RateLimitedLog(UnavailableExporter(), clock)
        for wait in (0, 1, 58.9, 0.2):
            clock.pass_time(wait)
            sending.export([None] * 5)  # type: ignore[list-item]
    finally:
        logging.getLogger("portal.platform.tracing.otlp").removeHandler(handler)
    assert [line.partition(":")[0] for line in log_reader] == [
        "the collector did not take 5 spans",
        "the collector did not take 15 spans",
    ]
