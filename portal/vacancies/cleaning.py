"""Long descriptions are cleaned in processes of their own, whose time ends: one tenant's text holds up nobody.

What the cleaner does is linear (description.py, bare_markup.py), but a parser in Rust is somebody else's, holds no
promise, and cannot be interrupted by a thread. A short text cannot take long whatever it is, so most never leave this
process. A helper is started when the first long text comes, and ends with this process: its input closes.
"""

import atexit
import logging
import os
import resource
import signal
import struct
import subprocess
import sys
import threading
from contextlib import suppress
from typing import IO

from portal.vacancies import description

log = logging.getLogger(__name__)

AT_ONCE = 10_000
"""Characters that are cleaned where they are asked for: tens of milliseconds at worst."""
_SECONDS = 2.0
"""Of a core, for one text. The worst that are known take half a second, ordinary ones hundredths."""
_PATIENCE = 30.0
"""Seconds by the clock, for a machine that is busy or asleep; so long a helper may also take to start."""
_MEMORY = 1_000_000_000
"""Bytes of address space of a helper."""
_IDLE_MOST = 2
_LENGTH = struct.Struct("!I")


class Cleaner:
    """For any thread. seconds: of a core, that one text may take."""

    def __init__(self, seconds: float = _SECONDS) -> None:
        self._seconds = seconds
        self._idle: list[_Helper] = []
        self._lock = threading.Lock()

    def clean(self, text: str, *, whose: str) -> str:
        """As description.clean; the text alone, in paragraphs, where that takes too long. whose: for the log."""
        if len(text) <= AT_ONCE:
            return description.clean(text)
        with self._lock:
            helper = self._idle.pop() if self._idle else None
        # One that was idle may have ended for reasons of its own, so its failure says nothing of the text.
        safe = (helper and self._asked(helper, text)) or self._asked_anew(text)
        if safe is None:
            log.warning("a description of %s takes too long to be cleaned: its text is shown alone", whose)
            return description.flat(text)
        return safe.decode("utf-8", "surrogatepass")

    def close(self) -> None:
        """End the helpers that wait."""
        with self._lock:
            idle, self._idle = self._idle, []
        for helper in idle:
            helper.end()

    def _asked_anew(self, text: str) -> bytes | None:
        try:
            helper = _Helper(self._seconds)
        except OSError as error:
            log.error("no process to clean a description in (%s): it is done in this one", error.strerror)  # noqa: TRY400  the message says it all
            return description.clean(text).encode("utf-8", "surrogatepass")
        return self._asked(helper, text)

    def _asked(self, helper: "_Helper", text: str) -> bytes | None:
        safe = helper.ask(text.encode("utf-8", "surrogatepass"))
        with self._lock:
            is_kept = safe is not None and len(self._idle) < _IDLE_MOST
            if is_kept:
                self._idle.append(helper)
        if not is_kept:
            helper.end()
        return safe


class _Helper:
    """A process that cleans one text after the other. It has nothing of this one's environment, where secrets are."""

    def __init__(self, seconds: float) -> None:
        self._process = subprocess.Popen(  # noqa: S603  our own interpreter and our own module
            [sys.executable, "-m", __name__, str(seconds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,
        )

    def ask(self, text: bytes) -> bytes | None:
        """What it makes of the text; None where it ended over it, or before."""
        source, sink = self._process.stdout, self._process.stdin
        if source is None or sink is None:
            raise RuntimeError("a helper without pipes")
        alarm = threading.Timer(_PATIENCE, self._process.kill)
        alarm.daemon = True
        alarm.start()
        try:
            _write(sink, text)
            return _read(source)
        except OSError:
            return None
        finally:
            alarm.cancel()

    def end(self) -> None:
        """End it, whatever it does."""
        self._process.kill()
        with suppress(OSError):  # what was never read of a pipe that is closed
            self._process.communicate()


def _write(sink: IO[bytes], content: bytes) -> None:
    sink.write(_LENGTH.pack(len(content)) + content)
    sink.flush()


def _read(source: IO[bytes]) -> bytes | None:
    """None at the end."""
    head = source.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    content = source.read(_LENGTH.unpack(head)[0])
    return content if len(content) == _LENGTH.unpack(head)[0] else None


def _serve(seconds: float) -> None:
    with suppress(ValueError, OSError):  # a system that has no such limit
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    while (text := _read(sys.stdin.buffer)) is not None:
        signal.setitimer(signal.ITIMER_PROF, seconds)  # its signal ends a process that does not await it
        safe = description.clean(text.decode("utf-8", "surrogatepass"))
        signal.setitimer(signal.ITIMER_PROF, 0)
        _write(sys.stdout.buffer, safe.encode("utf-8", "surrogatepass"))


SHARED = Cleaner()
"""The one of this process."""
atexit.register(SHARED.close)


if __name__ == "__main__":
    _serve(float(sys.argv[1]))
