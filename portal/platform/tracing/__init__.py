"""Traces of requests across processes: OpenTelemetry, where its variables name a collector.

Requests, deliveries and syncs report spans to `spans`; they are sent to the collector, or cost nothing while tracing is
off. `begin` starts that and `end` stops it, once a process; not before a fork, because threads and connections stay
with the parent. Start with `spans`.

    spans  the interface: `start_request` and `end_request` around a request, `step` around a delivery or sync, and
           `header` for calls
    otlp   OpenTelemetry itself; imported only where traces are wanted

A span holds only facts that a log line may hold (logs.allowed_fields): no path, query, address or exception.
"""

import logging
from typing import TYPE_CHECKING

from portal.platform.config.settings import is_set
from portal.platform.tracing.spans import TRACING, Span, TraceStep, as_current, end_request, header, start_request, step

if TYPE_CHECKING:
    from portal.platform.tracing.otlp import Tracing

__all__ = ["Span", "TraceStep", "as_current", "begin", "end", "end_request", "header", "start_request", "step"]

log = logging.getLogger(__name__)

_TIMEOUT = 2.0
"""Seconds that a stop waits for a collector, in addition to its wait for requests."""
_begun: "list[Tracing]" = []


def begin(service: str, *, continue_incoming_traces: bool = False) -> None:
    """Trace this process from now on, if OpenTelemetry's variables ask for it.

    service: its name where none is set. continue_incoming_traces: continue the trace that a request names; only for
    known clients, because a request also decides whether it is sampled.
    """
    if not _is_wanted():
        return
    try:
        from portal.platform.tracing.otlp import Tracing
    except ImportError:
        log.warning(
            "OpenTelemetry's variables are set and it is not installed, so nothing is traced:"
            " install requirements/tracing.txt, or unset them"
        )
        return
    end()
    tracing = Tracing(service)
    _begun.append(tracing)
    TRACING.source, TRACING.continue_incoming_traces = tracing, continue_incoming_traces


def end() -> None:
    """Send what is left, as far as a collector accepts it within two seconds."""
    TRACING.source = None
    while _begun:
        _begun.pop().end(_TIMEOUT)


def _is_wanted() -> bool:
    """Return whether to trace, as OpenTelemetry's variables say; only a collector that is named is ever used."""
    somewhere = is_set("OTEL_EXPORTER_OTLP_ENDPOINT") or is_set("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
    to_others = is_set("OTEL_TRACES_EXPORTER") and not is_set("OTEL_TRACES_EXPORTER", "otlp")
    return somewhere and not to_others and not is_set("OTEL_SDK_DISABLED", "true")
