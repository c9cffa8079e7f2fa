"""Server, worker, service and commands start, end and are killed in any order while people apply, all on SQLite.

RESTARTS such events, the same order each time: 10 here, 200 in `make soak`. This test has no database open: it uses
the product's commands and HTTP, and reads the files after every process has ended."""

import json
import os
import random
import signal
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil
import pytest

from tests.delivery.running_portal import PLAIN, Form, RunningPortal
from tests.delivery.scene import SECRET, tenant_file
from tests.parts import command
from tests.parts.process import accepts, free_port
from tests.site.apply.conftest import vacancy

pytestmark = pytest.mark.soak
RESTARTS = int(os.environ.get("RESTARTS", "10"))
SEED = int(os.environ.get("RESTARTS_SEED", "1"))
PROCESSES = ("serve", "worker", "tracker")
COMMANDS = (("submissions", "list"), ("check",), ("sync",), ("storage", "check"))


@dataclass
class Site(RunningPortal):
    """Portal and service of one company, both on SQLite."""

    tracker_port: int = 0
    key: str = ""

    def start(self, *names: str) -> None:
        for name in names:
            if name != "tracker":
                super().start(name)
                continue
            words = ("tracker", "serve", "--port", str(self.tracker_port))
            told = {**os.environ, **self.environment}
            self.running[name] = command.started(*words, environment=told, log=self.folder / f"{name}.log")

    def stop(self, name: str) -> None:
        """Stop a process as systemd does, and wait until all its descendants have ended."""
        process = self.running.pop(name)
        everyone = [process, *process.children(recursive=True)]
        process.send_signal(signal.SIGTERM)
        _, alive = psutil.wait_procs(everyone, timeout=100)
        assert not alive, f"{name} did not stop\n{self.logs()}"

    def ready(self) -> None:
        self.until(lambda: accepts(self.port) and accepts(self.tracker_port), "server and service listen", seconds=90)

    def people_at_the_service(self) -> Counter[str]:
        """Return how often each address applied, according to the service's interface."""
        with httpx.Client(trust_env=False, timeout=60, verify=PLAIN) as client:
            address = f"http://127.0.0.1:{self.tracker_port}/applications/vacancy/job-1"
            answer = client.get(address, headers={"x-api-key": self.key})
        assert answer.status_code == 200, answer.text[:500]
        return Counter(one["candidate"]["emails"][0] for one in answer.json()["applications"])


@dataclass
class Applicants:
    """Applicants who resend the same form until they get a receipt, as users of a browser do."""

    site: Site
    receipts: dict[str, str] = field(default_factory=dict)
    """The applicant's address → where the receipt is."""
    enough: threading.Event = field(default_factory=threading.Event)
    unexpected: list[str] = field(default_factory=list)

    def run(self) -> None:
        while not self.enough.is_set():
            if form := self._opened():
                self._send(form)

    def _opened(self) -> Form | None:
        try:
            return self.site.open_form()
        except (httpx.HTTPError, AssertionError):  # the server is unavailable, or was while it responded
            self.enough.wait(0.1)
            return None

    def _send(self, form: Form) -> None:
        for _ in range(1_000):
            try:
                answer = self.site.post(form)
            except httpx.HTTPError:
                time.sleep(0.1)
                continue
            if answer.status_code == 303:
                self.receipts[form.fields["email"]] = answer.headers["location"]
                return
            if answer.status_code != 503:
                self.unexpected.append(f"{answer.status_code}: {answer.text[:300]}")
                return
            time.sleep(0.1)
        self.unexpected.append("a form was never accepted")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    folder = tmp_path / "site"
    (folder / "tenants").mkdir(parents=True)
    ports = {name: free_port() for name in ("serve", "tracker")}
    environment = {
        "PORTAL_SECRET_KEY": SECRET,
        "PORTAL_HOME": str(folder),
        "PORTAL_DATABASE_URL": f"sqlite:///{folder / 'portal.db'}",
        "PORTAL_TENANTS": str(folder / "tenants"),
        "PORTAL_BASE_URL": f"http://127.0.0.1:{ports['serve']}",
        "PORTAL_TRUSTED_PROXIES": "1",
        "PORTAL_SYNC_INTERVAL": "1",
        "PORTAL_DELIVERY_DEADLINE": "10",
        "PORTAL_DELIVERY_LEASE": "12",
        "PORTAL_DELIVERY_AMBIGUOUS_DELAY": "0.3",
        "PORTAL_DELIVERY_RETRY_BASE": "0.1",
        "TRACKER_DATABASE_URL": f"sqlite:///{folder / 'tracker.db'}",
        "TRACKER_BASE_URL": f"http://127.0.0.1:{ports['tracker']}",
    }
    made = Site(folder, environment, {}, ports["serve"], tracker_port=ports["tracker"])
    jobs = folder / "jobs.jsonl"
    jobs.write_text("\n".join(vacancy(f"job-{number}", f"Welder {number}") for number in range(1, 6)))
    made.portal("tracker", "tenant", "add", "acme", "Acme")
    made.key = made.portal("tracker", "key", "create", "acme").strip()
    made.portal("tracker", "load", "acme", str(jobs))
    (folder / "key").write_text(made.key)
    service = f"http://127.0.0.1:{ports['tracker']}"
    (folder / "tenants" / "acme.toml").write_text(tenant_file("acme", service, key=folder / "key"))
    made.portal("db", "upgrade")
    yield made
    made.kill(*list(made.running))


def test_every_receipt_stays_valid_and_every_application_arrives_once(site: Site):
    chance = random.Random(SEED)  # noqa: S311  the same order each time
    site.start("tracker")
    site.until(lambda: accepts(site.tracker_port), "the service listens", seconds=90)
    site.portal("sync")
    site.start("serve", "worker")
    site.ready()
    people = Applicants(site)
    applying = [threading.Thread(target=people.run) for _ in range(2)]
    for thread in applying:
        thread.start()
    try:
        for _ in range(RESTARTS):
            _random_event(site, chance)
    finally:
        site.until(lambda: accepts(site.port), "the server listens", seconds=90)
        people.enough.set()
        for thread in applying:
            thread.join()
    site.ready()
    assert people.unexpected == []
    assert len(people.receipts) >= RESTARTS, "too few applications for the restarts to affect any"
    site.until(lambda: _is_settled(site), "everything is delivered", seconds=180)

    references = {address.rpartition("/")[2].partition("?")[0] for address in people.receipts.values()}
    assert references == set(site.states())
    with httpx.Client(base_url=site.url, trust_env=False, timeout=30, verify=PLAIN) as browser:
        assert {browser.get(address).status_code for address in people.receipts.values()} == {200}
    assert site.people_at_the_service() == dict.fromkeys(people.receipts, 1)

    for name in PROCESSES:
        site.stop(name)
    for file in ("portal.db", "tracker.db"):
        assert _integrity(site.folder / file) == ["ok"], file


def _random_event(site: Site, chance: random.Random) -> None:
    """Run a command, or kill or stop a process and start it again after a while."""
    before = threading.Event()
    before.wait(chance.uniform(0, 0.4))
    if chance.random() < 0.4:
        command.portal(*chance.choice(COMMANDS), environment=site.environment)  # may fail while another process is down
        return
    name = chance.choice(PROCESSES)
    if chance.random() < 0.6:
        site.kill(name)
    else:
        site.stop(name)
    before.wait(chance.uniform(0, 0.3))
    site.start(name)
    if chance.random() < 0.5:
        site.ready()


def _is_settled(site: Site) -> bool:
    listed = json.loads(site.portal("submissions", "list", "--json"))
    return bool(listed) and all(one["state"] in {"delivered", "purged"} for one in listed)


def _integrity(file: Path) -> list[str]:
    connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    try:
        return [line for (line,) in connection.execute("PRAGMA integrity_check")]
    finally:
        connection.close()
