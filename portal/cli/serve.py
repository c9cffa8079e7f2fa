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
    default=256,
    show_default=True,
    envvar="PORTAL_THREADS",
    type=click.IntRange(8, 1_024),
    help="Of a process; few of them work at a time.",
)
def serve(host: str, port: int, workers: int, threads: int) -> None:
    """Run the production web server."""
    Parts.ready(Settings.from_env(), clock=SystemClock()).close()
    set_for_children("PORTAL_THREADS", str(threads), whatever_it_was=True)
    server.run("portal.app:from_env", host, port, workers=workers, threads=threads)
