"""The helper's side: a process that has everything imported, and forks one of its own for each file.

So what one file does to its process meets no other file, and nobody waits for an interpreter to start. The helper has
nothing of the environment of who started it, where secrets are, and ends when its socket does.
"""

import gc
import os
import select
import signal
import socket
import struct
from collections.abc import Callable
from typing import BinaryIO

from portal.clock import SystemClock
from portal.confined import walls
from portal.confined.walls import Limits
from portal.logs.begin import begin

LENGTH = struct.Struct("!I")
"""Before an answer: how many bytes it has."""
PROBE = 255
"""Asks what the process could do that it should not, instead of work; others are the work's own."""
_LOOK = 0.2
"""Seconds between looks at who has ended, while anybody works."""

Work = Callable[[BinaryIO, int], bytes]
"""A file, unbuffered and at its first byte, and how it is to be worked on (0 to 254) → the answer."""


def serve(work: Work, limits: Limits) -> None:
    """Until standard input, a socket, ends: one byte and two descriptors ask, of the file and of where to answer to."""
    begin(None)  # what goes wrong in here stands in the log like anything else
    asked = socket.socket(fileno=os.dup(0))
    walls.prepare()
    gc.collect()
    gc.freeze()  # so that processes share what is imported
    asked.sendall(b"\0")
    at_work: dict[int, float] = {}
    while True:
        heard = select.select([asked], [], [], _LOOK if at_work else None)[0]
        if heard:
            how, descriptors, _, _ = socket.recv_fds(asked, 1, 2)
            if not how:
                return
            file, answer = descriptors
            at_work[_forked(work, limits, how[0], file, answer)] = walls.deadline(limits)
            os.close(file)
            os.close(answer)
        for process in [one for one, until in at_work.items() if _is_over(one, until)]:
            del at_work[process]


def _is_over(process: int, until: float) -> bool:
    ended, _ = os.waitpid(process, os.WNOHANG)
    if not ended and SystemClock().monotonic() > until:
        os.kill(process, signal.SIGKILL)
    return bool(ended)


def _forked(work: Work, limits: Limits, how: int, file: int, answer: int) -> int:
    """The process that works on it; this returns in the helper alone."""
    helper = os.getpid()
    process = os.fork()
    if process:
        return process
    try:
        walls.die_with(helper)
        _keep_only(file, answer)
        with os.fdopen(3, "rb", buffering=0) as opened:
            opened.seek(0)
            walls.close_behind(limits)
            said = repr(walls.told()).encode() if how == PROBE else work(opened, how)
            _write(4, LENGTH.pack(len(said)) + said)
    except BaseException:  # noqa: BLE001, S110  whatever it is: who asks sees no answer, and nothing may leave this fork
        pass
    finally:
        os._exit(0)


def _keep_only(file: int, answer: int) -> None:
    """The file is 3 and the answer 4 from here on; nothing else is open."""
    nothing = os.open(os.devnull, os.O_RDWR)
    at = max(file, answer, nothing, 4) + 1
    for number, descriptor in enumerate((nothing, nothing, nothing, file, answer)):
        os.dup2(descriptor, at + number)
    for number in range(5):
        os.dup2(at + number, number)
    os.closerange(5, at + 5)


def _write(descriptor: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[os.write(descriptor, left) :]
