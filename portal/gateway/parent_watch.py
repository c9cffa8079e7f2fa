"""Stops a process when its parent has ended for any reason, so that no process keeps serving an old release."""

import os
import signal
import threading
from multiprocessing import parent_process

_CHECK_EVERY = 1.0
"""Seconds between checks."""


def end_with_parent(grace: float, *, parent: int | None = None) -> None:
    """Start a thread that stops this process, as SIGTERM does, once its parent has ended.

    grace: seconds to finish what has begun; then the process is killed. parent: its process id; None: as
    multiprocessing knows it, otherwise the current parent, which is another process if it has ended already.
    """
    started_by = parent_process()
    parent = parent or (started_by.pid if started_by else os.getppid())
    threading.Thread(target=_watch, args=(parent, grace), name="end-with-parent", daemon=True).start()


def _watch(parent: int | None, grace: float) -> None:
    never = threading.Event()
    while os.getppid() == parent:
        never.wait(_CHECK_EVERY)
    # The kernel ends the process then, also one whose handler of SIGTERM is stuck and holds the interpreter.
    signal.setitimer(signal.ITIMER_REAL, grace)
    while True:
        os.kill(os.getpid(), signal.SIGTERM)  # repeated: a process that is still starting misses the first one
        never.wait(_CHECK_EVERY)
