"""`portal worker`: background work such as syncing, delivery and email."""

import logging
import signal
import threading
from contextlib import ExitStack
from types import FrameType

import click

from portal.cli.log_fatal import logging_fatal_errors
from portal.platform import tracing
from portal.platform.clock import SystemClock
from portal.platform.config.settings import Settings, misspelt
from portal.platform.errors import DatabaseUnavailable, SchemaError
from portal.platform.logs import Part, running
from portal.services import Services
from portal.worker import WorkerThreads

log = logging.getLogger(__name__)

_LOOK_AGAIN = 2.0
"""Seconds between attempts to reach a database that was unavailable at the start."""


@click.command("worker")
@click.option("--threads", default=16, show_default=True, type=click.IntRange(1, 64), help="Concurrent deliveries.")
@click.option("--passes", default=8, show_default=True, type=click.IntRange(1, 32), help="Lists read concurrently.")
@logging_fatal_errors(Part.WORKER)
def worker(threads: int, passes: int) -> None:
    """Sync jobs, deliver applications, send email, erase old data. Any number can run against one database."""
    for said in misspelt():
        log.warning(said)
    services = Services.open_without_database(Settings.from_env(), clock=SystemClock())
    stop = threading.Event()

    def ask_to_stop(_signal: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, ask_to_stop)
    signal.signal(signal.SIGINT, ask_to_stop)
    tracing.begin("portal-worker")
    with running(Part.WORKER), ExitStack() as stack:
        stack.callback(tracing.end)
        while not _can_work(services):
            if stop.wait(_LOOK_AGAIN):
                return
        WorkerThreads(services).run(stop, threads=threads, passes=passes)


def _can_work(services: Services) -> bool:
    """Return whether the database is available and has this release's schema; if not, the log says what to do."""
    try:
        services.require_schema()
    except (DatabaseUnavailable, SchemaError):
        return False
    return True
