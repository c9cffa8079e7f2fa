"""Shares metrics between the processes of a server: each writes its own files in one folder, and any adds up all.

prometheus_client implements it (its "multiprocess mode") if PROMETHEUS_MULTIPROC_DIR is set before it is imported.
"""

import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from portal.platform.config.settings import counted_in

log = logging.getLogger(__name__)

_PREFIX = "careers-portal-counted-"
_KINDS = ("counter", "histogram", "gauge_livesum")
_ROOM = 2 * 1024 * 1024
"""Bytes for one kind of metric in one process: some eight thousand values."""


def where() -> Path | None:
    """Return the folder; None where this process counts for itself."""
    from prometheus_client import values  # decided at its import: later settings have no effect

    return None if values.ValueClass is values.MutexValue else counted_in()


@contextmanager
def folder(processes: int) -> Iterator[Path | None]:
    """Yield a folder for child processes and delete it afterwards; first delete folders of servers that were killed.

    Yields None where the temporary folder has too little space: then each process counts for itself.
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
        pass  # logged below, as is a full disk
    log.warning("too little disk space in %s for metrics: each process counts separately", above)
    return None


def reserve() -> None:
    """Allocate this process's disk space now: the files are memory-mapped, and a full disk would cause SIGBUS."""
    together = where()
    if together is None:
        return
    try:
        for kind in _KINDS:
            with (together / f"{kind}_{os.getpid()}.db").open("ab") as file:
                os.posix_fallocate(file.fileno(), 0, _ROOM)
    except OSError as error:
        log.warning("no disk space in %s for metrics (%s)", together, error.strerror)


def forget_ended(shared: Path) -> None:
    """Delete the live gauges of processes that have ended; what they have counted stays."""
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
