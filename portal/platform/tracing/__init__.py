"""Traces of requests across processes: OpenTelemetry, where its variables name a collector.

Requests, deliveries and syncs report spans to `spans`; they are sent to the collector, or cost nothing while tracing is
off. Start with `spans`.

    spans  the interface: `asked` and `answered` around a request, `step` around a delivery or sync, `header` for calls
    setup  begin and end, once a process, after the fork
    otlp   OpenTelemetry itself; imported only where traces are wanted

A span holds what a line of the log may hold (logs.allowed_fields), and nothing else: no path, query, address or
exception.
"""

from portal.platform.tracing.setup import begin, end
from portal.platform.tracing.spans import Span, TraceStep, answered, asked, header, step, under

__all__ = ["Span", "TraceStep", "answered", "asked", "begin", "end", "header", "step", "under"]
