"""Long descriptions are cleaned in processes of their own, whose time ends: one tenant's text holds up nobody.

What the cleaner does is linear (description.py, bare_markup.py), but a parser in Rust is somebody else's, holds no
promise, and cannot be interrupted by a thread. A short text cannot take long whatever it is, so most never leave this
process. The helper is started when the first long text comes, and ends with this process: its input closes.
"""

import io
import logging
import sys
from typing import BinaryIO

from portal.confined.asking import Ended, Helper, NoHelper
from portal.confined.serving import serve
from portal.confined.walls import Limits
from portal.vacancies import description

log = logging.getLogger(__name__)

AT_ONCE = 10_000
"""Characters that are cleaned where they are asked for: tens of milliseconds at worst."""
_SECONDS = 2.0
"""Of a core, for one text. The worst that are known take half a second, ordinary ones hundredths."""
_PATIENCE = 30.0
"""Seconds by the clock, for a machine that is busy or asleep."""
_MEMORY = 1_000_000_000
"""Bytes of address space, for one text."""
_TEXTS_AT_ONCE = 16
_MOST = 64 * 1024 * 1024
"""Bytes of what is left of a text."""


class Cleaner:
    """For any thread. seconds: of a core, that one text may take."""

    def __init__(self, seconds: float = _SECONDS) -> None:
        limits = _limits(seconds)
        self._helper = Helper("portal.vacancies.cleaning", (str(seconds),), limits, at_once=_TEXTS_AT_ONCE, most=_MOST)

    def clean(self, text: str, *, whose: str) -> str:
        """As description.clean; the text alone, in paragraphs, where that takes too long. whose: for the log."""
        if len(text) <= AT_ONCE:
            return description.clean(text)
        try:
            safe = self._helper.ask(io.BytesIO(text.encode("utf-8", "surrogatepass")))
        except Ended:
            log.warning("a description of %s takes too long to be cleaned: its text is shown alone", whose)
            return description.flat(text)
        except NoHelper as error:
            log.error("no process to clean a description in (%s): it is done in this one", error)  # noqa: TRY400  the message says it all
            return description.clean(text)
        return safe.decode("utf-8", "surrogatepass")

    def close(self) -> None:
        """End the helper."""
        self._helper.close()


def _limits(seconds: float) -> Limits:
    return Limits(memory=_MEMORY, cpu=seconds, patience=_PATIENCE)


def _clean(text: BinaryIO, _: int) -> bytes:
    return description.clean(text.read().decode("utf-8", "surrogatepass")).encode("utf-8", "surrogatepass")


SHARED = Cleaner()
"""The one of this process."""


if __name__ == "__main__":
    serve(_clean, _limits(float(sys.argv[1])))
