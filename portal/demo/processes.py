"""Child processes that end with their parent."""

import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from types import FrameType, TracebackType
from typing import Self

import httpx

from portal.platform.clock import Clock
from portal.platform.config.settings import STOP_TIMEOUT
from portal.platform.errors import PortalError

_STOP_WAIT = STOP_TIMEOUT + 5.0
"""Seconds to wait for a child, which finishes its requests in progress before it ends."""
_UP_WITHIN = 60.0


class ProcessTree:
    """Commands of this package, run as children; leaving the block ends all of them.

    A signal to stop (Ctrl-C, SIGTERM) sets `stopping`. Children run in their own process group, so that a Ctrl-C
    reaches them only through us, and those started last stop first.
    """

    def __init__(self) -> None:
        self.stopping = threading.Event()
        self._children: list[tuple[str, subprocess.Popen[bytes]]] = []

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._ask)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for _, child in reversed(self._children):
            if child.poll() is None:
                child.terminate()
                try:
                    child.wait(_STOP_WAIT)
                except subprocess.TimeoutExpired:
                    child.kill()
                    child.wait()

    def start(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start `portal COMMAND`."""
        child = subprocess.Popen(  # noqa: S603  our own interpreter and our own module
            [sys.executable, "-m", "portal.cli", "--calm", *command], env=dict(environment), start_new_session=True
        )
        self._children.append((command[0], child))

    def wait_until_up(self, url: str, clock: Clock) -> None:
        """Wait until `url` answers 200; PortalError if it does not in time, or if a child has ended."""
        until = clock.monotonic() + _UP_WITHIN
        with httpx.Client(trust_env=False, timeout=2) as client:
            while clock.monotonic() < until and not self.stopping.is_set():
                self.raise_if_ended()
                try:
                    if client.get(url).is_success:
                        return
                except httpx.HTTPError:
                    pass  # not up yet
                self.stopping.wait(0.1)
        if not self.stopping.is_set():
            raise PortalError(f"{url} did not answer within {_UP_WITHIN:g} s; its lines above say why")

    def watch(self) -> None:
        """Wait until a signal asks to stop; PortalError if a child ends by itself."""
        while not self.stopping.wait(0.5):
            self.raise_if_ended()

    def raise_if_ended(self) -> None:
        """Raise PortalError if a child has ended by itself."""
        for name, child in self._children:
            if child.poll() is not None:
                raise PortalError(f"`portal {name}` ended with status {child.returncode}; its lines above say why")

    def _ask(self, _signal: int, _frame: FrameType | None) -> None:
        self.stopping.set()
