"""A process that ends with the one that started it, however that ended: nobody is left who serves on an old release."""

import os
import signal
import threading
from multiprocessing import parent_process

from portal.clock import SystemClock

_LOOK = 1.0
"""Seconds between looks."""


def end_with_parent(grace: float) -> None:
    """From now on the end of the parent stops this process, as SIGTERM does.

    grace: seconds for what has begun; then it is ended.
    """
    started_by = parent_process()
    parent = started_by.pid if started_by else os.getppid()
    threading.Thread(target=_watch, args=(parent, grace), name="end-with-parent", daemon=True).start()


def _watch(parent: int | None, grace: float) -> None:
    never = threading.Event()
    while os.getppid() == parent:
        never.wait(_LOOK)
    ends = SystemClock().monotonic() + grace
    while SystemClock().monotonic() < ends:
        os.kill(os.getpid(), signal.SIGTERM)  # again and again: one that is still starting hears no first
        never.wait(_LOOK)
    os.kill(os.getpid(), signal.SIGKILL)
