"""Cleans long descriptions in separate processes with a time limit, so that one tenant's text delays nobody else.

The parser of HTML 5 is somebody else's and needs time that grows with the square of what is nested or misplaced, and no
thread can interrupt it. Short texts never take long, so most stay in this process. The helper
process starts with the first long text, and ends with this process, because its input is then closed.
"""

import io
import logging
import sys
from typing import BinaryIO

from portal.jobs.text import description
from portal.platform.sandbox.fork_server import serve
from portal.platform.sandbox.helper_process import Helper, NoHelper, ProcessEnded
from portal.platform.sandbox.restrictions import Limits

log = logging.getLogger(__name__)

AT_ONCE = 5_000
"""Longest text in characters that is cleaned in this process: 0.15 s of CPU at worst."""
_SECONDS = 2.0
"""CPU seconds for one text; ordinary ones take hundredths."""
_PATIENCE = 30.0
"""Real-time seconds, for a machine that is busy or suspended."""
_MEMORY = 1_000_000_000
"""Bytes of address space for one text."""
_TEXTS_AT_ONCE = 16
_MOST = 64 * 1024 * 1024
"""Bytes of one cleaned text."""


class Cleaner:
    """Cleans descriptions. Thread-safe. seconds: CPU time for one text."""

    def __init__(self, seconds: float = _SECONDS) -> None:
        limits = _limits(seconds)
        self._helper = Helper("portal.jobs.text.cleaning", (str(seconds),), limits, at_once=_TEXTS_AT_ONCE, most=_MOST)

    def clean(self, text: str, *, whose: str) -> str:
        """Return clean(text), or only its text in paragraphs if cleaning takes too long. whose: for the log."""
        if len(text) <= AT_ONCE:
            return description.clean(text)
        try:
            safe = self._helper.ask(io.BytesIO(text.encode("utf-8", "surrogatepass")))
        except ProcessEnded:
            log.warning("a description of %s takes too long to be cleaned: its text is shown alone", whose)
            return description.flat(text)
        except NoHelper as error:
            log.error("no process to clean a description of %s in (%s): its text is shown alone", whose, error)  # noqa: TRY400  the message has all information
            return description.flat(text)
        return safe.decode("utf-8", "surrogatepass")

    def close(self) -> None:
        """End the helper process."""
        self._helper.close()


def _limits(seconds: float) -> Limits:
    return Limits(memory=_MEMORY, cpu=seconds, patience=_PATIENCE)


def _clean(text: BinaryIO, _: int) -> bytes:
    return description.clean(text.read().decode("utf-8", "surrogatepass")).encode("utf-8", "surrogatepass")


SHARED = Cleaner()
"""The cleaner of this process."""


if __name__ == "__main__":
    serve(_clean, _limits(float(sys.argv[1])))
