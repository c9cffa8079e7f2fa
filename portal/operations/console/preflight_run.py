"""Runs `portal check` in the background with a deadline, because it calls the tenant's service and may take long."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from pydantic import TypeAdapter, ValidationError

from portal.platform.clock import Clock

DEADLINE = 90.0
"""Seconds. A hanging service is reported after one timeout per request, and a check makes few requests."""
_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check, as in `portal check --json`. warns: it works, but something should be done about it."""

    what: str
    ok: bool
    says: str
    warns: bool = False


_CHECK = "troubleshoot#portal-check-says-failed"
"""The section of every other line."""
RUNBOOKS = {
    "settings": "settings#settings",
    "database schema": "troubleshoot#portaldatabaseaway",
    "tenant": "troubleshoot#portaltenantfilewrong",
    "tenants": "troubleshoot#portalnotenant",
    "service": "troubleshoot#portalservicefails",
    "certificate": "troubleshoot#portalcertificateends",
    "site": "configure#tenant-file",
    "analytics": "configure#a-script-on-the-public-pages",
    "host": "domains#dns",
    "logo": "configure#logo-header-picture-and-font",
    "cover": "configure#logo-header-picture-and-font",
    "logo_dark": "configure#dark-mode",
    "cover_dark": "configure#dark-mode",
    "people.picture": "configure#the-company-on-the-page-of-a-job",
    "mirror": "troubleshoot#portaldataold",
    "jobs": "configure#tenant-file",
    "index": "troubleshoot#portaldataold",
    "index now": "configure#search-engines",
    "google index": "configure#search-engines",
    "webhook": "configure#webhooks",
    "applications": "troubleshoot#applications-are-waiting",
    "changes": "troubleshoot#applications-are-waiting",
    "requests": "troubleshoot#portalanswerowed",
    "backup": "troubleshoot#portalbackuplate",
    "restore": "backup-and-upgrade#restore",
    "secret keys": "configure#change-the-secret-key",
    "service database": "troubleshoot#trackerdatabaseaway",
    "disk space": "troubleshoot#portaldisknearlyfull",
    "rate limits": "troubleshoot#portallimitsaway",
    "workers": "troubleshoot#portalnoworker",
    "disks": "troubleshoot#portaldisknearlyfull",
    "services": "troubleshoot#portalservicefails",
    "attachments": "troubleshoot#portalstoreaway",
    "mail": "troubleshoot#portalmailaway",
    "inspection": "troubleshoot#portalinspectionaway",
    "scanner": "troubleshoot#portalscanneraway",
}
"""Lines of `portal check`, without a tenant's slug → the section of the manual that says what to do."""


def section_of(line: CheckResult) -> str:
    """Return the section of the manual that says what to do about a line; empty if nothing is to be done."""
    if line.ok and not line.warns:
        return ""
    return RUNBOOKS.get(line.what) or RUNBOOKS.get(line.what.rpartition(" ")[0], _CHECK)


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the check. ended: None while it runs. fault: why it did not finish."""

    begun: datetime
    ended: datetime | None = None
    lines: tuple[CheckResult, ...] = ()
    fault: str | None = None


class NoResult(Exception):
    """The check did not finish; the message says why."""


CheckRunner = Callable[[str], Sequence[CheckResult]]
"""Checks one tenant and the shared parts. Raises NoResult."""


def run_check_command(slug: str) -> Sequence[CheckResult]:
    """Run `portal check SLUG` in a child process with this process's settings. Raises NoResult."""
    command = [sys.executable, "-m", "portal.cli", "check", slug, "--json"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=DEADLINE, check=False)  # noqa: S603  our own interpreter and module
        return TypeAdapter(list[CheckResult]).validate_python(json.loads(done.stdout))
    except subprocess.TimeoutExpired:
        raise NoResult(f"It did not finish within {DEADLINE:.0f} seconds: something it checks is hanging.") from None
    except (OSError, ValueError, ValidationError):
        raise NoResult("It could not be run: try “portal check” on the machine itself.") from None


class Checks:
    """The last check of each tenant, in the memory of this process."""

    def __init__(self, run_check: CheckRunner, clock: Clock) -> None:
        self._run_check, self._clock = run_check, clock
        self._runs: dict[str, Run] = {}
        self._lock = threading.Lock()

    def of(self, slug: str) -> Run | None:
        """Return the tenant's last check, or the one that is running."""
        return self._runs.get(slug)

    def start(self, slug: str) -> bool:
        """Start a check in the background; False if one of this tenant is running, or too many of others are."""
        with self._lock:
            running = [name for name, run in self._runs.items() if run.ended is None]
            if slug in running or len(running) >= _AT_ONCE:
                return False
            run = self._runs[slug] = Run(self._clock.now())
        threading.Thread(target=self._run, args=(slug, run), daemon=True, name="check").start()
        return True

    def _run(self, slug: str, run: Run) -> None:
        lines: Sequence[CheckResult] = ()
        fault: str | None = "It could not be run: see the log."
        try:
            lines, fault = self._run_check(slug), None
        except NoResult as why:
            fault = str(why)
        finally:
            self._runs[slug] = replace(run, ended=self._clock.now(), lines=tuple(lines), fault=fault)
