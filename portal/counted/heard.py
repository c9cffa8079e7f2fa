"""Events of the log and finished requests, counted as they come: nothing is told twice, once to be read and once to be
counted."""

import logging
from functools import lru_cache

from prometheus_client import Histogram

from portal.counted import figures
from portal.counted.figures import Serving
from portal.logs.lines import told_by

EVENTS, SECURITY = "portal.events", "portal.security"
UNKNOWN = "none"
"""In place of a route, a tenant or a kind that there is not."""


class _Counting(logging.Handler):
    """Counts the events of its logger."""

    def emit(self, record: logging.LogRecord) -> None:
        """One record; whatever it says, it is counted once."""
        told = told_by(record)
        if told is None:
            return
        facts = told.facts()
        tenant, kind = (str(facts.get(name, UNKNOWN)) for name in ("tenant", "kind"))
        if record.name == SECURITY:
            figures.SECURITY.labels(told.event, tenant).inc()
        else:
            figures.EVENTS.labels(told.event, tenant, kind).inc()
        if "reason" in facts:
            figures.REFUSED.labels(tenant, kind if record.name == EVENTS else told.event, str(facts["reason"])).inc()


_counting = _Counting(logging.INFO)


def listen() -> None:
    """Count in this process from now on; once is enough."""
    for name in (EVENTS, SECURITY):
        logging.getLogger(name).addHandler(_counting)


def request(who: Serving, route: str, method: str, status: int, seconds: float) -> None:
    """One request that was answered. route: its pattern, empty where there is none."""
    _counter(who, route, method, status).observe(seconds)


@lru_cache(4_096)
def _counter(who: Serving, route: str, method: str, status: int) -> Histogram:
    """Found again without the library's lock: a kept page leaves from the server's loop."""
    return who.requests.labels(route or UNKNOWN, method, f"{status // 100}xx")
