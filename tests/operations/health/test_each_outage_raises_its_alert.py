"""A real Prometheus with the rules of deploy/ raises an alert in time for each part that fails."""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from portal.platform.clock import SystemClock
from portal.tracker import administration, loading
from portal.tracker.tables import open_database
from tests.delivery.scene import SECRET, tenant_file
from tests.journeys.server import command
from tests.operations.health.figures import ALERTS
from tests.parts.clamd import RunningClamd, running_clamd
from tests.parts.postgres import Postgres, running_postgres
from tests.parts.process import free_port, paused, running
from tests.parts.prometheus import RunningPrometheus, running_prometheus
from tests.parts.redis import RunningRedis, running_redis
from tests.parts.smtp import running_smtp
from tests.schemas import PORTAL, TRACKER, postgres_template, sqlite_copy
from tests.site.apply.applicant import CV, Applicant
from tests.site.apply.conftest import vacancy

pytestmark = pytest.mark.verify

IN_TIME = 120
"""Seconds: what is promised of each outage."""
AT_REST = 240


class Site:
    """A portal and everything that it depends on, as processes that can be stopped."""

    prometheus: RunningPrometheus
    postgres: Postgres
    redis: RunningRedis
    clamd: RunningClamd

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder, self._stack = folder, stack
        self.port, self.service = free_port(), free_port()
        self.postgres = stack.enter_context(running_postgres())
        self.redis, self.clamd = stack.enter_context(running_redis()), stack.enter_context(running_clamd())
        self.mail = ExitStack()
        smtp = self.mail.enter_context(running_smtp())
        stack.callback(self.mail.close)
        self.postgres.create(name="portal", template=postgres_template(self.postgres, PORTAL))
        self._company()
        self.environment = {
            "PORTAL_SECRET_KEY": SECRET,
            "PORTAL_DATABASE_URL": self.postgres.url("portal"),
            "PORTAL_TENANTS": str(folder / "tenants"),
            "PORTAL_ATTACHMENTS": f"file:{folder / 'attachments'}",
            "PORTAL_MAIL": smtp.address,
            "PORTAL_BASE_URL": f"http://127.0.0.1:{self.port}",
            "PORTAL_RATE_LIMITS": self.redis.url,
            "PORTAL_SCANNER": self.clamd.address,
            "PORTAL_SYNC_INTERVAL": "5",
            "TRACKER_DATABASE_URL": f"sqlite:///{folder / 'tracker.db'}",
        }
        self.tracker = self._start("tracker", "serve", port=self.service)
        self.worker = self._start("worker", port=None)
        self._start("serve", port=self.port)
        jobs = {"careers-portal": self.port, "careers-tracker": self.service}
        self.prometheus = stack.enter_context(running_prometheus(ALERTS, jobs))

    def _company(self) -> None:
        tracker = open_database(sqlite_copy(self.folder / "tracker.db", TRACKER))
        administration.add_tenant(tracker, SystemClock(), "acme", "Acme")
        loading.load(tracker, SystemClock(), "acme", [vacancy("job-1", "Welder")])
        (self.folder / "key").write_text(administration.create_key(tracker, SystemClock(), "acme"))
        tracker.close()
        (self.folder / "tenants").mkdir()
        file = tenant_file("acme", f"http://127.0.0.1:{self.service}", key=self.folder / "key")
        (self.folder / "tenants" / "acme.toml").write_text(file)

    def _start(self, *words: str, port: int | None):
        argv = command(*words, *(["--port", str(port)] if port else []))
        log = self.folder / f"{words[0]}.log"
        return self._stack.enter_context(running(argv, log=log, ready=lambda: True, env=self.environment))

    def somebody_applies(self, email: str) -> None:
        with httpx.Client(base_url=f"http://127.0.0.1:{self.port}", trust_env=False, timeout=60) as browser:
            Applicant(browser).receipt((CV[0], CV[1] + email.encode()), email=email)

    def shows_the_job(self) -> bool:
        try:
            return "Welder" in httpx.get(f"http://127.0.0.1:{self.port}/acme/", trust_env=False, timeout=20).text
        except httpx.HTTPError:
            return False


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with ExitStack() as stack:
        yield Site(tmp_path, stack)


def until(true: Callable[[], object], what: Callable[[], object], seconds: float) -> float:
    """Wait for a condition; return how long it took."""
    began = time.monotonic()
    while not true():
        assert time.monotonic() - began < seconds, what()
        time.sleep(0.2)
    return time.monotonic() - began


@pytest.mark.soak
@pytest.mark.xdist_group("outages")
def test_each_outage_raises_its_alert_within_two_minutes(site: Site, record_property: Callable[[str, float], None]):
    watching = site.prometheus

    def raised(*alerts: str) -> float:
        return until(lambda: set(alerts) <= watching.alerts(), lambda: (alerts, watching.alerts()), IN_TIME)

    until(site.shows_the_job, lambda: "the job is shown", AT_REST)
    until(lambda: watching.healthy() == 2, lambda: "both are looked at", AT_REST)
    # Without an outage, no alert is raised.
    until(lambda: not watching.alerts(firing=False), lambda: watching.alerts(firing=False), AT_REST)

    site.mail.close()
    site.somebody_applies("ada@people.example")
    site.somebody_applies("grace@people.example")
    site.tracker.kill()
    (site.folder / "tenants" / "globex.toml").write_text("name = 4\n")
    (site.folder / "attachments").rename(site.folder / "elsewhere")
    (site.folder / "attachments").write_text("a file in the folder's place")
    with paused(site.redis.pid), paused(site.clamd.pid):
        record_property("mail and service", raised("PortalMailAway", "PortalServiceFails"))
        site.worker.send_signal(signal.SIGKILL)  # which reported these two
        others = (
            "PortalServerAway",
            "PortalTenantFileWrong",
            "PortalStoreAway",
            "PortalLimitsAway",
            "PortalScannerAway",
        )
        record_property("many at once, and no worker", raised("PortalNoWorker", *others))
    (site.folder / "attachments").unlink()
    (site.folder / "elsewhere").rename(site.folder / "attachments")
    back = {"PortalStoreAway", "PortalLimitsAway", "PortalScannerAway"}
    until(lambda: not back & watching.alerts(), watching.alerts, IN_TIME)

    with paused(site.postgres.pid):
        record_property("no database", raised("PortalDatabaseAway"))
    until(lambda: "PortalDatabaseAway" not in watching.alerts(), watching.alerts, IN_TIME)
