"""The health of one part, that is, of a component that the portal depends on."""

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from portal.platform.clock import Clock, SystemClock
from portal.platform.config.settings import Settings
from portal.platform.errors import PortalError, error_location


class PartState(StrEnum):
    """The state of a part."""

    OK = "ok"
    DEGRADED = "degraded"
    """It works only partly, or late."""
    DOWN = "down"


class PartName(StrEnum):
    """The parts, as named in /readyz, in the metrics' label `part` and in the manual."""

    DATABASE = "database"
    TENANTS = "tenants"
    STORE = "store"
    DISKS = "disks"
    LIMITS = "limits"
    SCANNER = "scanner"
    INSPECTION = "inspection"
    MAIL = "mail"
    WORKERS = "workers"
    SERVICES = "services"


NEEDED = frozenset({PartName.DATABASE, PartName.TENANTS, PartName.STORE})
"""Without one of these a server can accept no application and is not ready.

Parts that only cause delays are not listed: taking servers out of service would not help.
"""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The result of one probe. says: the situation in words, without personal data. since: when it began, if known."""

    state: PartState
    says: str
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class PartHealth:
    """The health of a part. since: when this state, or a failure, began. means: consequences; empty while OK."""

    name: PartName
    state: PartState
    says: str
    since: datetime
    means: str

    @property
    def stops(self) -> bool:
        """Whether no application can be accepted because of this part."""
        return self.state is PartState.DOWN and self.name in NEEDED

    @property
    def runbook(self) -> str:
        """The section of the manual that says what to do, as runbook_address takes it."""
        return f"troubleshoot#{ANCHORS[self.name]}"


MEANS = {
    PartName.DATABASE: "pages cached in memory are shown; nothing is accepted and nothing is sent",
    PartName.TENANTS: "a company whose file is invalid is shown from its last valid file, or not at all",
    PartName.STORE: "no CV can be accepted, so whoever sends a form with a file is asked to try again later",
    PartName.DISKS: "no file is accepted until there is space; pages, sign-in and forms with a stored file still work",
    PartName.LIMITS: "each process counts limits separately; nobody is rejected because of it",
    PartName.SCANNER: "applications are accepted, and wait until their files have been scanned",
    PartName.INSPECTION: "no file can be inspected, so none is accepted; those already accepted continue",
    PartName.MAIL: "emails and sign-in codes wait; applications are accepted and delivered",
    PartName.WORKERS: "applications are accepted and wait; no emails, no sign-in codes, no new jobs",
    PartName.SERVICES: "applications to these companies are accepted and wait; others do not wait",
}
ANCHORS = {
    PartName.DATABASE: "portaldatabaseaway",
    PartName.TENANTS: "portaltenantfilewrong",
    PartName.STORE: "portalstoreaway",
    PartName.DISKS: "portaldisknearlyfull",
    PartName.LIMITS: "portallimitsaway",
    PartName.SCANNER: "portalscanneraway",
    PartName.INSPECTION: "portalinspectionaway",
    PartName.MAIL: "portalmailaway",
    PartName.WORKERS: "portalnoworker",
    PartName.SERVICES: "portalservicefails",
}
"""Sections of docs/operating/troubleshoot.md; a test checks that they exist."""


MANUAL = {
    "operating": "docs/operating.md",
    "install": "docs/operating/install.md",
    "configure": "docs/operating/configure.md",
    "settings": "README.md",
    "monitor": "docs/operating/monitor.md",
    "troubleshoot": "docs/operating/troubleshoot.md",
    "backup-and-upgrade": "docs/operating/backup-and-upgrade.md",
    "capacity": "docs/operating/capacity.md",
    "reference": "docs/operating/reference.md",
    "data": "docs/data.md",
    "domains": "docs/domains.md",
    "embedding": "docs/embedding.md",
    "webhooks": "docs/webhooks.md",
    "tracker": "docs/tracker.md",
    "interface": "docs/interface.md",
    "scale": "docs/scale.md",
    "performance": "docs/performance.md",
}
"""The pages of the operators' manual → their files; all are in the wheel, and the console serves them."""


def runbook_address(settings: Settings | None, section: str) -> str:
    """Return where an operator reads a section of the manual, such as `troubleshoot#portalmailaway`.

    At PORTAL_RUNBOOKS, else at the console's own address where PORTAL_CONSOLE_ORIGIN says it; else its file.
    settings: None if they cannot be read.
    """
    if settings and settings.runbooks:
        return f"{settings.runbooks}/{section}"
    if settings and settings.console_origin:
        return f"{settings.console_origin}/manual/{section}"
    page, mark, anchor = section.partition("#")
    return f"{MANUAL[page]}{mark}{anchor}"


log = logging.getLogger(__name__)

TIMEOUT = 3.0
"""Seconds to wait for a probe; /readyz promises its response within five."""
_REAL = SystemClock()
"""Waiting always takes real time, even where tests set the clock."""

FINE = ProbeResult(PartState.OK, "")
Asked = Callable[[], Mapping[PartName, ProbeResult] | None]
"""Checks a part and raises if it is down. Returns the results of several parts; None if there is no more to say."""


class BackgroundProbe:
    """A probe that runs in the background, once at a time; for any thread. name: the part that is down if it fails.

    A storage, scanner or database that is stopped neither responds nor closes the connection. Callers wait until a
    probe has run for TIMEOUT seconds, so they do not wait for one that already hangs for longer; the part then counts
    as down.

    ask: the probe; may also report other parts, which are unknown while it fails. every: seconds for which a result is
    reused.
    """

    def __init__(self, name: PartName, ask: Asked, clock: Clock, *, every: float = 0) -> None:
        self._name, self._ask, self._clock, self._every = name, ask, clock, every
        self._lock = threading.Lock()
        self._found: Mapping[PartName, ProbeResult] = {}
        self._found_at: float | None = None
        self._begun: float | None = None
        self._ended = threading.Event()

    def begin(self) -> None:
        """Start a probe unless one is running or the last result is recent enough."""
        with self._lock:
            if self._begun is not None or not self._is_old():
                return
            self._begun = _REAL.monotonic()
            self._ended = ended = threading.Event()
        threading.Thread(target=self._answer, args=(ended,), name=f"look at {self._name}", daemon=True).start()

    def found(self) -> Mapping[PartName, ProbeResult]:
        """Wait for a running probe and return the last result; the part is down if it takes longer than TIMEOUT."""
        with self._lock:
            begun, ended = self._begun, self._ended
        if begun is not None and not ended.wait(max(0.0, begun + TIMEOUT - _REAL.monotonic())):
            return {self._name: ProbeResult(PartState.DOWN, f"no response within {TIMEOUT:.0f} s")}
        with self._lock:
            return self._found

    def _is_old(self) -> bool:
        return self._found_at is None or self._clock.monotonic() - self._found_at >= self._every

    def _answer(self, ended: threading.Event) -> None:
        began = _REAL.monotonic()
        try:
            found = self._ask() or {self._name: FINE}
        except PortalError as error:
            found = {self._name: ProbeResult(PartState.DOWN, str(error))}
        except Exception as error:  # noqa: BLE001  health checks must get a result whatever fails
            log.error("internal error while checking %s: %s", self._name, error_location(error))  # noqa: TRY400  a traceback may hold personal data
            found = {self._name: ProbeResult(PartState.DOWN, "internal error: the log has its location")}
        took = _REAL.monotonic() - began
        if took > TIMEOUT and found[self._name].state is PartState.OK:
            found = {**found, self._name: ProbeResult(PartState.DEGRADED, f"responded after {took:.0f} s")}
        with self._lock:
            self._found, self._found_at, self._begun = found, self._clock.monotonic(), None
        ended.set()
