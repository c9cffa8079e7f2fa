"""What a process counts for /metrics; the processes of one server add up.

shared   the folder in which they add up, and what is there of those that have ended
figures  each counter
heard    events of the log and finished requests, counted
"""

from collections.abc import Iterable

from prometheus_client.core import Metric

from portal.counted import figures, shared


def families() -> Iterable[Metric]:
    """What this process has counted, or all processes of its server."""
    together = shared.where()
    if together is None:
        return figures.OWN.collect()
    shared.forget_ended(together)
    return figures.added_up(str(together)).collect()
