"""`portal worker`: background work such as syncing, delivery and email."""

import logging
import signal
import threading
from contextlib import ExitStack
from types import FrameType

import click

from portal.cli import server
from portal.cli.log_fatal import logging_fatal_errors
from portal.gateway.health_server import HealthServer, answering
from portal.platform import tracing
from portal.platform.clock import SystemClock
from portal.platform.config.settings import Settings, misspelt
from portal.platform.config.variables import listening
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
@click.option("--health-listen", metavar="HOST:PORT", help="Answer /healthz here: 200 while no thread is stuck.")
@logging_fatal_errors(Part.WORKER)
def worker(threads: int, passes: int, health_listen: str | None) -> None:
    """Sync jobs, deliver applications, send email, erase old data. Any number can run against one database."""
    address = _address(health_listen)
    for warning in misspelt():
        log.warning(warning)
    services = Services.open_tolerating_outage(Settings.from_env(), clock=SystemClock())
    stop, work = threading.Event(), WorkerThreads(services)

    def ask_to_stop(_signal: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, ask_to_stop)
    signal.signal(signal.SIGINT, ask_to_stop)
    tracing.begin("portal-worker")
    with running(Part.WORKER), ExitStack() as stack:
        stack.callback(tracing.end)
        if address:
            HealthServer(*address, answering(work.is_alive), ["/healthz"]).begin()
        while not _can_work(services):
            if stop.wait(_LOOK_AGAIN):
                return
        work.run(stop, threads=threads, passes=passes)


def _address(text: str | None) -> tuple[str, int] | None:
    """Return host and port for health checks; other text is a usage error. Raises SettingsError if it is in use."""
    try:
        address = listening(text)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--health-listen") from None
    if address:
        server.require_free(*address)  # otherwise two workers could share the port
    return address


def _can_work(services: Services) -> bool:
    """Return whether the database is available and has this release's schema; if not, the log says what to do."""
    try:
        services.require_schema()
    except (DatabaseUnavailable, SchemaError):
        return False
    return True
