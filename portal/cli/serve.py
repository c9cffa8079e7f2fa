"""`portal serve`."""

import logging

import click

from portal.cli import server
from portal.cli.aloud import failing_aloud
from portal.clock import SystemClock
from portal.logs import Part
from portal.settings import Settings, misspelt, set_for_children

log = logging.getLogger(__name__)


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=8000, show_default=True, type=click.IntRange(1, 65_535))
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1, 64), help="Processes.")
@click.option(
    "--threads",
    envvar="PORTAL_THREADS",
    type=click.IntRange(1, 256),
    help="Requests that a process works on at a time; twice the cores where it is not said.",
)
@click.option("--demo", is_flag=True, hidden=True, help="What `portal demo` serves.")
@failing_aloud(Part.SERVE)
def serve(host: str, port: int, workers: int, threads: int | None, demo: bool) -> None:  # noqa: FBT001  a flag, as click passes it
    """Run the production web server."""
    settings = Settings.from_env()
    for said in misspelt():
        log.warning(said)
    if threads:
        set_for_children("PORTAL_THREADS", str(threads), whatever_it_was=True)
    served = "portal.demo.site:served" if demo else "portal.app:served"
    with server.counting(workers):
        from portal.parts import Parts

        # A schema that cannot be used stops the start; that a database is away each child says by itself.
        Parts.waiting(settings, clock=SystemClock(), tells=False).close()
        server.run(served, host, port, part=Part.SERVE, workers=workers, stop_timeout=settings.stop_timeout)
