"""`portal serve`."""

import click

from portal.cli import server
from portal.clock import SystemClock
from portal.parts import Parts
from portal.settings import Settings, set_for_children


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
def serve(host: str, port: int, workers: int, threads: int | None) -> None:
    """Run the production web server."""
    Parts.waiting(Settings.from_env(), clock=SystemClock()).close()
    if threads:
        set_for_children("PORTAL_THREADS", str(threads), whatever_it_was=True)
    server.run("portal.app:served", host, port, workers=workers)
