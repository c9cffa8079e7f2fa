"""`portal worker`."""

import signal
import threading
from types import FrameType

import click

from portal.clock import SystemClock
from portal.parts import Parts
from portal.settings import Settings
from portal.work import Work


@click.command("worker")
@click.option("--threads", default=16, show_default=True, type=click.IntRange(1, 64), help="Deliveries at once.")
@click.option("--passes", default=8, show_default=True, type=click.IntRange(1, 32), help="Lists read at once.")
def worker(threads: int, passes: int) -> None:
    """Mirror vacancies, deliver applications, send mail, purge. Any number may run against one database."""
    parts = Parts.ready(Settings.from_env(), clock=SystemClock())
    stop = threading.Event()

    def ask_to_stop(_signal: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, ask_to_stop)
    signal.signal(signal.SIGINT, ask_to_stop)
    Work(parts).run(stop, threads=threads, passes=passes)
