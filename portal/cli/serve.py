"""`portal serve`: the portal's web server."""

import logging

import click

from portal.cli import server
from portal.cli.log_fatal import logging_fatal_errors
from portal.platform.clock import SystemClock
from portal.platform.config.settings import Settings, misspelt, set_for_children
from portal.platform.logs import Part

log = logging.getLogger(__name__)


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=8000, show_default=True, type=click.IntRange(1, 65_535))
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1, 64), help="Number of processes.")
@click.option(
    "--threads",
    envvar="PORTAL_THREADS",
    type=click.IntRange(1, 256),
    help="Requests a process handles at a time; default: twice the number of cores.",
)
@click.option(
    "--health-listen",
    envvar="PORTAL_HEALTH_LISTEN",
    metavar="HOST:PORT",
    help="Answer /healthz, /readyz and /metrics here besides, whatever the main socket is busy with.",
)
@click.option("--demo", is_flag=True, hidden=True, help="What `portal demo` serves.")
@logging_fatal_errors(Part.SERVE)
def serve(
    host: str,
    port: int,
    workers: int,
    threads: int | None,
    health_listen: str | None,
    demo: bool,  # noqa: FBT001  a flag, as click passes it
) -> None:
    """Run the production web server."""
    if health_listen:
        set_for_children("PORTAL_HEALTH_LISTEN", health_listen, whatever_it_was=True)
    settings = Settings.from_env()
    for warning in misspelt():
        log.warning(warning)
    if threads:
        set_for_children("PORTAL_THREADS", str(threads), whatever_it_was=True)
    factory = "portal.demo.site:production_app" if demo else "portal.app:production_app"
    with server.counting(workers):
        from portal.services import Services

        # An unusable schema stops the start; an unavailable database does not, and each child logs it.
        Services.open_tolerating_outage(settings, clock=SystemClock(), log_outages=False).close()
        if settings.health_listen:
            server.require_free(*settings.health_listen)
            log.info("health checks are answered on %s port %d too", *settings.health_listen)
        server.run(factory, host, port, part=Part.SERVE, workers=workers, stop_timeout=settings.stop_timeout)
