"""`portal serve`."""

import logging

import click

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
    settings = Settings.from_env()
    Parts.ready(settings, clock=SystemClock()).close()
    # One heap a thread is glibc's default, and every one of them keeps what an upload needed for a moment.
    set_for_children("MALLOC_ARENA_MAX", "2")
    logging.getLogger("granian.access").setLevel(logging.WARNING)
    from granian.constants import Interfaces
    from granian.http import HTTP1Settings
    from granian.log import LogLevels
    from granian.server import Server

    Server(
        "portal.app:from_env",
        factory=True,
        address=host,
        port=port,
        interface=Interfaces.WSGI,
        workers=workers,
        blocking_threads=threads,
        log_level=LogLevels.error,
        # What one connection may buffer: uploads go to disk as they come, so a large buffer is only memory.
        http1_settings=HTTP1Settings(max_buffer_size=65_536),
        respawn_failed_workers=True,
        workers_kill_timeout=10,
    ).serve()
