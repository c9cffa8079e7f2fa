"""One server's processes count together: each in files of its own in one folder, which whoever is asked adds up.

prometheus_client does it (its "multiprocess mode") where PROMETHEUS_MULTIPROC_DIR is set before it is imported.
"""

import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from portal.settings import counted_in

log = logging.getLogger(__name__)

_PREFIX = "careers-portal-counted-"
_KINDS = ("counter", "histogram", "gauge_livesum")
_ROOM = 2 * 1024 * 1024
"""Bytes for one kind of figure in one process: some eight thousand values."""


def where() -> Path | None:
    """The folder; None where this process counts for itself."""
    from prometheus_client import values  # looked at when it was imported: whatever is set later changes nothing

    return None if values.ValueClass is values.MutexValue else counted_in()


@contextmanager
def folder(processes: int) -> Iterator[Path | None]:
    """A folder for this process's children, gone afterwards; what servers left that were killed goes first.

    None where temporary files have no room for it: then each process counts for itself.
    """
    above = Path(tempfile.gettempdir())
    for left in above.glob(f"{_PREFIX}*"):
        owner = left.name.removeprefix(_PREFIX).partition("-")[0]
        if owner.isdecimal() and not _lives(int(owner)):
            shutil.rmtree(left, ignore_errors=True)
    made = _made(above, _ROOM * len(_KINDS) * (processes + 1))
    try:
        yield made
    finally:
        if made:
            shutil.rmtree(made, ignore_errors=True)


def _made(above: Path, needed: int) -> Path | None:
    try:
        if shutil.disk_usage(above).free > needed:
            return Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=above))
    except OSError:
        pass  # said below, like a disk that is full
    log.warning("no room in %s for what is counted: each process counts for itself", above)
    return None


def reserve() -> None:
    """Take this process's room on disk now: written through memory, a full disk would end the process by SIGBUS."""
    together = where()
    if together is None:
        return
    try:
        for kind in _KINDS:
            with (together / f"{kind}_{os.getpid()}.db").open("ab") as file:
                os.posix_fallocate(file.fileno(), 0, _ROOM)
    except OSError as error:
        log.warning("no room in %s for what is counted (%s)", together, error.strerror)


def forget_ended(shared: Path) -> None:
    """Of processes that are no more, what they had counted stays; what they were doing is done by nobody."""
    for file in shared.glob("gauge_live*.db"):
        owner = file.stem.rpartition("_")[2]
        if owner.isdecimal() and not _lives(int(owner)):
            with suppress(FileNotFoundError):
                file.unlink()


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
