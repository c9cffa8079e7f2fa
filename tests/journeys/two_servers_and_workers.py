"""Two web servers, two workers and the service, each a process as an operator starts it, all on one PostgreSQL."""

import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen

import httpx
import psutil

from portal.platform.clock import SystemClock
from portal.platform.database.db import Database
from portal.tracker import administration, loading
from portal.tracker.tables import open_database
from tests.delivery.scene import SECRET, tenant_file
from tests.journeys.recording_relay import RecordedRequest, Relay, recorded
from tests.parts import tracker_edits
from tests.parts.postgres import Postgres
from tests.parts.process import accepts, free_port, running
from tests.schemas import PORTAL, TRACKER, postgres_template
from tests.site.apply.conftest import vacancy

CLOCK = SystemClock()
COMPANIES = ("acme", "globex", "initech")
JOBS = 120


@dataclass
class Fleet:
    """A running installation. servers: their addresses. Jobs are named after their company: `acme-7`."""

    folder: Path
    database: Database
    tracker: Database
    relay: Relay
    keys: dict[str, str]
    host: str
    servers: list[str] = field(default_factory=list)
    workers: dict[str, Popen[bytes]] = field(default_factory=dict)
    serving: list[Popen[bytes]] = field(default_factory=list)
    lost: set[str] = field(default_factory=set)

    def browser(self, server: int) -> httpx.Client:
        """Return a browser that is connected to that server."""
        return httpx.Client(base_url=self.servers[server], headers={"Host": self.host}, trust_env=False, timeout=20)

    def get(self, server: int, path: str) -> httpx.Response:
        with self.browser(server) as browser:
            return browser.get(path)

    def open_jobs(self, server: int, company: str) -> int:
        """Return the number of jobs in the heading of the company's list."""
        found = re.search(r"(\d+) open jobs", self.get(server, f"/{company}/").text)
        return int(found[1]) if found else 0

    def until(self, true: Callable[[], object], what: str, *, seconds: float = 180) -> None:
        """Wait until a condition holds."""
        deadline = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < deadline, f"not within {seconds} s: {what}\n{self.logs()}"
            time.sleep(0.05)

    def close_job(self, company: str, job: str) -> None:
        """Close a job at the service."""
        assert tracker_edits.update_vacancy(self.tracker, CLOCK, company, job, status="filled")

    def delete_job(self, company: str, job: str) -> None:
        assert tracker_edits.delete_vacancy(self.tracker, CLOCK, company, job)

    def applications(self, company: str, job: str) -> list[str]:
        """Return the applicants' addresses, according to the service's interface."""
        with httpx.Client(trust_env=False, timeout=20) as client:
            address = f"http://127.0.0.1:{self.relay.behind}/applications/vacancy/{job}"
            answer = client.get(address, headers={"x-api-key": self.keys[company]})
        return [each["candidate"]["emails"][0] for each in answer.json()["applications"]]

    def lists(self, company: str) -> list[RecordedRequest]:
        """Return every answered request for the company's vacancies, in order."""
        mine = [each for each in self.relay.asked if each.path == "/vacancies" and self.is_of(each, company)]
        return [each for each in mine if each.ended]

    def visitors(self, company: str) -> set[str]:
        """Return the workers that have read the company's vacancies."""
        return {each.who for each in self.lists(company)}

    def is_of(self, asked: RecordedRequest, company: str) -> bool:
        return asked.headers.get("x-api-key") == self.keys[company]

    def kill(self, worker: str) -> None:
        """Kill a process with SIGKILL."""
        self.lost.add(worker)
        self.workers[worker].kill()
        self.workers[worker].wait(10)

    def logs(self) -> str:
        """Return the log lines of the portal's processes, each with its process."""
        return "\n".join(
            f"{path.stem}: {line}"
            for path in sorted(self.folder.glob("*.log"))
            for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
        )

    def worker_of(self, port: int) -> str:
        """Return the worker that uses this port, if any."""
        for name, process in self.workers.items():
            if name not in self.lost:
                with suppress(psutil.Error):
                    found = psutil.Process(process.pid).net_connections("tcp4")
                    if any(each.laddr.port == port for each in found):
                        return name
        return ""


@contextmanager
def fleet(folder: Path, postgres: Postgres, **environment: str) -> Iterator[Fleet]:
    """Start everything, and wait until the servers listen."""
    (folder / "tenants").mkdir(parents=True)
    with ExitStack() as stack:
        own = stack.enter_context(postgres.copy(postgres_template(postgres, PORTAL)))
        behind = stack.enter_context(postgres.copy(postgres_template(postgres, TRACKER)))
        tracker = open_database(behind)
        stack.callback(tracker.close)
        service, ports = free_port(), [free_port(), free_port()]
        processes = [stack.enter_context(_started("tracker", folder, service, {"TRACKER_DATABASE_URL": behind}))]
        keys = {company: _company(tracker, company) for company in COMPANIES}
        database = Database(own, migrations=PORTAL)
        stack.callback(database.close)
        relay = stack.enter_context(recorded(service))
        made = Fleet(folder, database, tracker, relay, keys, host=f"127.0.0.1:{ports[0]}")
        relay.who = made.worker_of
        made.until(lambda: accepts(service), "the service listens")
        for company, key in keys.items():
            (folder / f"{company}.key").write_text(key)
            text = tenant_file(company, relay.url, key=folder / f"{company}.key")
            (folder / "tenants" / f"{company}.toml").write_text(text)
        told = {
            "PORTAL_SECRET_KEY": SECRET,
            "PORTAL_DATABASE_URL": own,
            "PORTAL_TENANTS": str(folder / "tenants"),
            "PORTAL_ATTACHMENTS": f"file:{folder / 'attachments'}",
            "PORTAL_MAIL": f"file:{folder / 'mail'}",
            "PORTAL_BASE_URL": f"http://{made.host}",
            **environment,
        }
        for name in ("worker-1", "worker-2"):
            made.workers[name] = stack.enter_context(_started(name, folder, None, told))
        for name, port in zip(("serve-1", "serve-2"), ports, strict=True):
            made.serving.append(stack.enter_context(_started(name, folder, port, told)))
            made.servers.append(f"http://127.0.0.1:{port}")
        made.until(lambda: all(map(accepts, ports)), "both servers listen")
        yield made
        for process in (*made.workers.values(), *made.serving, *processes):
            process.terminate()  # concurrently, because each takes a while


def _company(tracker: Database, company: str) -> str:
    administration.add_tenant(tracker, CLOCK, company, company.title())
    loading.load(tracker, CLOCK, company, [vacancy(f"{company}-{n}", f"Welder {n}") for n in range(JOBS)])
    return administration.create_key(tracker, CLOCK, company)


@contextmanager
def _started(name: str, folder: Path, port: int | None, environment: dict[str, str]) -> Iterator[Popen[bytes]]:
    command = {"tracker": ["tracker", "serve"]}.get(name, [name.partition("-")[0]])
    argv = [sys.executable, "-m", "portal.cli", *command, *(["--port", str(port)] if port else [])]
    with running(argv, log=folder / f"{name}.log", ready=lambda: True, env=environment) as process:
        yield process
