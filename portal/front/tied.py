"""A process that ends with the one that started it, however that ended: nobody is left who serves on an old release."""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1
"""prctl(2), Linux."""


def end_with_parent() -> None:
    """From now on the end of the parent stops this process as SIGTERM does; nothing does so outside of Linux."""
    if sys.platform != "linux":
        return
    parent = os.getppid()
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    if os.getppid() != parent:  # it ended in between
        os.kill(os.getpid(), signal.SIGTERM)
