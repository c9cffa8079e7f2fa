"""The production server, which says when one of its processes ended without being asked to."""

import logging
import signal
from multiprocessing.process import BaseProcess
from typing import Any

from granian.server.mp import MPServer

from portal.errors import PortalError
from portal.logs import Happened, Part, event


class ChildEnded(PortalError):
    """A process of the server ended by itself, or was ended by somebody else."""


class TellingServer(MPServer):
    """Starts another process in the place of one that ended, and says so."""

    def _respawn_workers(self, workers: list[int], *args: Any, **more: Any) -> None:  # noqa: ANN401  granian's own
        for one in workers:
            _tell_of(self.wrks[one].inner)
        super()._respawn_workers(workers, *args, **more)


def _tell_of(process: BaseProcess) -> None:
    status = process.exitcode
    if status is None:
        return  # it lives, and is replaced
    how = f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
    lost = ChildEnded(f"process {process.pid} ended {how}; another one takes its place")
    event(Happened.LOST, part=Part.CHILD, because=lost, level=logging.ERROR)
