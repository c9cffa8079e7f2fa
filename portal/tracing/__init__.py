"""What becomes of a request, over processes: OpenTelemetry's traces, where its variables say to whom they are sent.

    spans  the seam: `asked` and `answered` around a request, `step` around a delivery or a pass, `header` for the next
    begin  on or off, once a process, after the fork
    otlp   OpenTelemetry itself; imported where traces are wanted, and nowhere else

A span holds what a line of the log may hold (logs.facts), and nothing else: no path, query, address or exception.
"""

from portal.tracing.begin import begin, end
from portal.tracing.spans import Span, Step, answered, asked, header, step, under

__all__ = ["Span", "Step", "answered", "asked", "begin", "end", "header", "step", "under"]
