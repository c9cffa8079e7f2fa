"""On or off, once a process. Not before a fork: threads and connections stay with the parent."""

import logging
from typing import TYPE_CHECKING

from portal.settings import is_set
from portal.tracing.spans import NOW

if TYPE_CHECKING:
    from portal.tracing.otlp import Tracing

log = logging.getLogger(__name__)

_PATIENCE = 2.0
"""Seconds that a stop waits for a collector, beside what it waits for requests."""
_begun: "list[Tracing]" = []


def begin(service: str, *, takes_up: bool = False) -> None:
    """Trace this process from now on, where OpenTelemetry's variables want it.

    service: its name where none is set. takes_up: go on with traces that a request names. Only where those who ask are
    known: a stranger's would be sampled as the stranger likes.
    """
    if not _is_wanted():
        return
    try:
        from portal.tracing.otlp import Tracing
    except ImportError:
        log.warning(
            "OpenTelemetry's variables are set and it is not installed, so nothing is traced:"
            " install requirements/tracing.txt, or unset them"
        )
        return
    end()
    tracing = Tracing(service)
    _begun.append(tracing)
    NOW.source, NOW.takes_up = tracing, takes_up


def end() -> None:
    """Send what is left, as far as a collector takes it in a moment."""
    NOW.source = None
    while _begun:
        _begun.pop().end(_PATIENCE)


def _is_wanted() -> bool:
    """As OpenTelemetry describes its variables; only that nothing is sent to a collector that nobody named."""
    somewhere = is_set("OTEL_EXPORTER_OTLP_ENDPOINT") or is_set("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
    to_others = is_set("OTEL_TRACES_EXPORTER") and not is_set("OTEL_TRACES_EXPORTER", "otlp")
    return somewhere and not to_others and not is_set("OTEL_SDK_DISABLED", "true")
