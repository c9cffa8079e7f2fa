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
    "--threads", default=8, show_default=True, type=click.IntRange(1, 256), help="Requests at once a process."
)
def serve(host: str, port: int, workers: int, threads: int) -> None:
    """Run the production web server."""
    Parts.ready(Settings.from_env(), clock=SystemClock()).close()
    # One heap a thread is glibc's default, and every one of them keeps what an upload needed for a moment.
    set_for_children("MALLOC_ARENA_MAX", "2")
    server.run("portal.app:from_env", host, port, workers=workers, threads=threads)
