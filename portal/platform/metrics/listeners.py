"""Counts log events and finished requests as they happen, so that logging an event also counts it."""

import logging
from functools import lru_cache

from prometheus_client import Histogram

from portal.platform.logs.formatting import structured_message_of
from portal.platform.metrics import definitions
from portal.platform.metrics.definitions import ServerMetrics

EVENTS, SECURITY = "portal.events", "portal.security"
UNKNOWN = "none"
"""Label value for a missing route, tenant or kind."""


class _Counting(logging.Handler):
    """Log handler that counts the events of its logger."""

    def emit(self, record: logging.LogRecord) -> None:
        """Count one record once, regardless of its content."""
        message = structured_message_of(record)
        if message is None:
            return
        facts = message.facts()
        tenant, kind = (str(facts.get(name, UNKNOWN)) for name in ("tenant", "kind"))
        if record.name == SECURITY:
            definitions.SECURITY.labels(message.event, tenant).inc()
        else:
            definitions.EVENTS.labels(message.event, tenant, kind).inc()
        if "reason" in facts:
            definitions.REFUSED.labels(
                tenant, kind if record.name == EVENTS else message.event, str(facts["reason"])
            ).inc()


_counting = _Counting(logging.INFO)


def start_counting_events() -> None:
    """Start to count log events in this process; further calls change nothing."""
    for name in (EVENTS, SECURITY):
        logging.getLogger(name).addHandler(_counting)


def request(who: ServerMetrics, route: str, method: str, status: int, seconds: float) -> None:
    """Count one finished request. route: its pattern, empty where there is none."""
    _counter(who, route, method, status).observe(seconds)


@lru_cache(4_096)
def _counter(who: ServerMetrics, route: str, method: str, status: int) -> Histogram:
    """Return the histogram; cached without the library's lock, for pages sent from the server's event loop."""
    return who.requests.labels(route or UNKNOWN, method, f"{status // 100}xx")
