"""`portal worker`."""

import logging
import signal
import threading
from contextlib import ExitStack
from types import FrameType

import click

from portal import tracing
from portal.cli.aloud import failing_aloud
from portal.clock import SystemClock
from portal.errors import DatabaseUnavailable, SchemaError
from portal.logs import Part, running
from portal.parts import Parts
from portal.settings import Settings, misspelt
from portal.work import Work

log = logging.getLogger(__name__)

_LOOK_AGAIN = 2.0
"""Seconds until the next look for a database that was away at the start."""


@click.command("worker")
@click.option("--threads", default=16, show_default=True, type=click.IntRange(1, 64), help="Deliveries at once.")
@click.option("--passes", default=8, show_default=True, type=click.IntRange(1, 32), help="Lists read at once.")
@failing_aloud(Part.WORKER)
def worker(threads: int, passes: int) -> None:
    """Mirror vacancies, deliver applications, send mail, purge. Any number may run against one database."""
    for said in misspelt():
        log.warning(said)
    parts = Parts.waiting(Settings.from_env(), clock=SystemClock())
    stop = threading.Event()

    def ask_to_stop(_signal: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, ask_to_stop)
    signal.signal(signal.SIGINT, ask_to_stop)
    tracing.begin("portal-worker")
    with running(Part.WORKER), ExitStack() as stack:
        stack.callback(tracing.end)
        while not _can_work(parts):
            if stop.wait(_LOOK_AGAIN):
                return
        Work(parts).run(stop, threads=threads, passes=passes)


def _can_work(parts: Parts) -> bool:
    """Whether the database is there, and of this release; the log is told what to do where it is not."""
    try:
        parts.require_schema()
    except (DatabaseUnavailable, SchemaError):
        return False
    return True
