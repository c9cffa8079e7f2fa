"""Two companies, each with a service of its own, a portal, and a worker that runs when a test calls it."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
from flask import Flask

from portal.app import create_app
from portal.delivery.envelopes import submissions
from portal.delivery.envelopes.submissions import Overview
from portal.delivery.kinds import KINDS
from portal.platform.config.settings import Settings
from portal.services import Services
from portal.worker import WorkerThreads
from tests.delivery.service import Service, service
from tests.site.apply.applicant import Applicant

SECRET = "a secret for tests, 32 characters"
RETRY_BASE = 30
AMBIGUOUS = 900
DEADLINE = 3
"""Real seconds: what a busy machine answers is well within it, and only a test of silence waits so long."""


class ShiftedClock:
    """A clock that the test sets, so that a slow machine causes no timeout; durations are still real."""

    def __init__(self) -> None:
        self._begun = datetime.now(UTC)
        self._shift = timedelta()

    def now(self) -> datetime:
        return self._begun + self._shift

    def monotonic(self) -> float:
        return time.monotonic() + self._shift.total_seconds()

    def sleep(self, seconds: float) -> None:
        self.pass_time(seconds)

    def pass_time(self, seconds: float) -> None:
        self._shift += timedelta(seconds=seconds)


@dataclass
class Scene:
    """The tenants `acme` and `globex`, with services of those names."""

    parts: Services
    app: Flask
    work: WorkerThreads
    clock: ShiftedClock
    folder: Path
    services: dict[str, Service] = field(default_factory=dict)

    @property
    def acme(self) -> Service:
        return self.services["acme"]

    @property
    def globex(self) -> Service:
        return self.services["globex"]

    def browser(self) -> httpx.Client:
        return httpx.Client(transport=httpx.WSGITransport(app=self.app), base_url=self.parts.settings.base_url)

    def apply(self, name: str = "ada", *, tenant: str = "acme", job: str = "job-1", **typed: str) -> str:
        """Send an application; return its reference."""
        with self.browser() as client:
            form = Applicant(client, f"/{tenant}/jobs/{job}/apply")
            return form.receipt(email=f"{name}@people.example", **typed).rpartition("/")[2].partition("?")[0]

    def deliver(self, *, after: float = 0) -> int:
        """Advance the clock and let the worker do everything that is due; return the number of attempts."""
        self.clock.pass_time(after)
        return self.work.deliver_what_is_due()

    def overview(self, reference: str) -> Overview:
        found = submissions.find(self.parts.database, KINDS, reference)
        assert found is not None
        return found

    def receipt(self, reference: str, *, tenant: str = "acme") -> str:
        with self.browser() as client:
            return client.get(f"/{tenant}/applications/{reference}").text

    def until(self, true: Callable[[], object], what: str) -> None:
        """Wait for a condition that other threads fulfil."""
        deadline = time.monotonic() + 120
        while not true():
            assert time.monotonic() < deadline, f"not within 120 s: {what}"
            time.sleep(0.01)

    def mails(self) -> list[str]:
        """Return every email that was sent, oldest first."""
        files = sorted((self.folder / "mail").glob("*.eml"), key=lambda path: path.stat().st_mtime_ns)
        return [path.read_text() for path in files]


def tenant_file(slug: str, base_url: str, *, key: Path, extra: str = "") -> str:
    """Return a tenant file that publishes the stage Open."""
    return (
        f'name = "{slug.capitalize()}"\n{extra}\n[publish]\nstages = ["Open"]\n[apply]\nphone_region = "DE"\n'
        f'[mail]\nfrom = "careers@{slug}.example"\noperator = "jobs@{slug}.example"\n'
        f'[tracker]\nbase_url = "{base_url}"\napi_key = "file:{key}"\n'
    )


@contextmanager
def scene(folder: Path, database_url: str, **settings: object) -> Iterator[Scene]:
    """Yield a scene that is wired as in production, with real sockets."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tenants").mkdir()
    (folder / "key").write_text("a-key-of-the-service")
    told: dict[str, object] = {
        "secret_key": SECRET,
        "database_url": database_url,
        "tenants": folder / "tenants",
        "attachments": f"file:{folder / 'attachments'}",
        "mail": f"file:{folder / 'mail'}",
        "delivery_deadline": DEADLINE,
        "delivery_retry_base": RETRY_BASE,
        "delivery_ambiguous_delay": AMBIGUOUS,
    }
    clock = ShiftedClock()
    with ExitStack() as stack:
        services = {slug: stack.enter_context(service()) for slug in ("acme", "globex")}
        for slug, behind in services.items():
            text = tenant_file(slug, behind.url, key=folder / "key")
            (folder / "tenants" / f"{slug}.toml").write_text(text)
        parts = Services.open(Settings(**{**told, **settings}), clock=clock)  # type: ignore[arg-type]  tests name settings
        stack.callback(parts.database.close)
        parts.database.upgrade()
        made = Scene(parts, create_app(parts), WorkerThreads(parts), clock, folder, services)
        stack.callback(lambda: [parts.upstream(one).close() for one in parts.tenants.all()])
        made.work.mirror_what_is_due()
        yield made
