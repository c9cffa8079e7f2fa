"""A process that ends with the one that started it, however that ended: nobody is left who serves on an old release."""

import os
import signal
import threading
from multiprocessing import parent_process

_LOOK = 1.0
"""Seconds between looks."""
_GRACE = 15.0
"""Seconds for what has begun, and for a process that was still starting and heard no signal."""


def end_with_parent() -> None:
    """From now on the end of the parent stops this process, as SIGTERM does; who does not hear it is ended."""
    started_by = parent_process()
    parent = started_by.pid if started_by else os.getppid()
    threading.Thread(target=_watch, args=(parent,), name="end-with-parent", daemon=True).start()


def _watch(parent: int | None) -> None:
    never = threading.Event()
    while os.getppid() == parent:
        never.wait(_LOOK)
    os.kill(os.getpid(), signal.SIGTERM)
    never.wait(_GRACE)
    os.kill(os.getpid(), signal.SIGKILL)
