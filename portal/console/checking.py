"""`portal check`, run beside the pages: it asks the service, so no page waits for it, and it has a deadline."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from pydantic import TypeAdapter, ValidationError

from portal.clock import Clock

DEADLINE = 90.0
"""Seconds; a service that hangs is told after one time-out of each request, and a check makes few."""
_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that was checked, as `portal check --json` says it."""

    what: str
    ok: bool
    says: str
    warns: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """One check. ended: None while it runs. fault: why it came to no end."""

    begun: datetime
    ended: datetime | None = None
    lines: tuple[Line, ...] = ()
    fault: str | None = None


class NoResult(Exception):
    """The check came to no end; the message says why."""


Ask = Callable[[str], Sequence[Line]]
"""Checks one tenant, and the parts that all need. Raises NoResult."""


def by_command(slug: str) -> Sequence[Line]:
    """What `portal check SLUG` says, in a process of its own with this one's settings. Raises NoResult."""
    command = [sys.executable, "-m", "portal.cli", "check", slug, "--json"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=DEADLINE, check=False)  # noqa: S603  our own interpreter and module
        return TypeAdapter(list[Line]).validate_python(json.loads(done.stdout))
    except subprocess.TimeoutExpired:
        raise NoResult(f"It was not done within {DEADLINE:.0f} seconds: something that it asks hangs.") from None
    except (OSError, ValueError, ValidationError):
        raise NoResult("It could not be run: try “portal check” on the machine itself.") from None


class Checks:
    """The last check of each tenant, as long as this process runs."""

    def __init__(self, ask: Ask, clock: Clock) -> None:
        self._ask, self._clock = ask, clock
        self._runs: dict[str, Run] = {}
        self._lock = threading.Lock()

    def of(self, slug: str) -> Run | None:
        """The last one, or the one that runs."""
        return self._runs.get(slug)

    def start(self, slug: str) -> bool:
        """Check it now, in the background. False where it is being checked already, or too many others are."""
        with self._lock:
            running = [name for name, run in self._runs.items() if run.ended is None]
            if slug in running or len(running) >= _AT_ONCE:
                return False
            run = self._runs[slug] = Run(self._clock.now())
        threading.Thread(target=self._run, args=(slug, run), daemon=True, name="check").start()
        return True

    def _run(self, slug: str, run: Run) -> None:
        lines: Sequence[Line] = ()
        fault: str | None = "It could not be run: see the log."
        try:
            lines, fault = self._ask(slug), None
        except NoResult as why:
            fault = str(why)
        finally:
            self._runs[slug] = replace(run, ended=self._clock.now(), lines=tuple(lines), fault=fault)
