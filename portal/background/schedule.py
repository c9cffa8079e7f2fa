"""Repeat the jobs of a worker; a job that fails is logged and stops neither itself nor another job."""

import logging
import threading
from collections.abc import Callable, Sequence

from portal.platform.errors import PortalError, place_of

log = logging.getLogger(__name__)


def run_every(seconds: float, job: Callable[[], object], stop: threading.Event, *, again: float | None = None) -> None:
    """Run `job` until `stop` is set, pausing `seconds` between two runs. again: the pause after a failed run."""
    while not stop.is_set():
        succeeded = run_guarded(job)
        stop.wait(seconds if succeeded or again is None else again)


def run_each(steps: Sequence[Callable[[], object]]) -> None:
    """Run the steps one after another, each guarded as in run_guarded."""
    for step in steps:
        run_guarded(step)


def run_guarded(job: Callable[[], object]) -> bool:
    """Run `job` and return whether it raised nothing; log whatever it raised."""
    try:
        job()
    except PortalError as error:
        log.error("%s", error)  # noqa: TRY400  expected during an outage of a dependency
    except Exception as error:  # noqa: BLE001  one error must not end the sync and the purge for good
        log.error("internal error in the worker: %s", place_of(error))  # noqa: TRY400  a traceback may hold personal data
    else:
        return True
    return False
