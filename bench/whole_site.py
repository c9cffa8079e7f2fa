"""A portal on PostgreSQL as its processes of production, before a service and a mail server that take everything.

CPU time is of a command and all that it started, ended or not, so other work on the machine does not count. Memory is
PSS, where a page that several processes share counts for each by its part.
"""

import dataclasses
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
import sqlalchemy as sa
from flask import Flask, Response

from portal.platform.database.db import Database
from tests.builders import SECRET
from tests.parts.files import pdf_of
from tests.parts.postgres import Postgres
from tests.parts.process import accepts, free_port, running
from tests.parts.smtp import running_smtp
from tests.schemas import PORTAL
from tests.site.apply.applicant import ADA

ROOT = Path(__file__).parents[1]
CV = pdf_of(300_000)
FLUSHED = 11
"""Seconds after which an idle connection has reported to PostgreSQL's statistics what it did."""
_NOTHING = b'{"items":[],"pageInfo":{"nextCursor":"","hasNextPage":false}}'


@dataclass(frozen=True, slots=True)
class Reading:
    """What was used until now. Seconds of CPU; bytes and fsyncs of PostgreSQL's log, pages written; bytes of logs."""

    web: float
    worker: float
    postgres: float
    wal: float
    syncs: float
    pages: float
    log: float
    taken: float

    def since(self, earlier: "Reading") -> "Reading":
        """What was used in between; taken: how many seconds that was."""
        return Reading(*(b - a for a, b in zip(_values(earlier), _values(self), strict=True)))

    def each(self, count: float, *, rest: "Reading | None" = None) -> "Reading":
        """For one of `count`, without what is used at rest in the same time."""
        idle = [value * self.taken / rest.taken for value in _values(rest)] if rest else [0.0] * len(_values(self))
        return Reading(*((value - less) / count for value, less in zip(_values(self), idle, strict=True)))


@dataclass(frozen=True, slots=True)
class WholeSite:
    """The running processes. tenants: how many there are; the first one is t0."""

    folder: Path
    postgres: Postgres
    database: Database
    port: int
    web: psutil.Process
    worker: psutil.Process
    tenants: int
    jobs: list[str]
    """Addresses of all jobs."""

    def read(self) -> Reading:
        """The reading of this moment."""
        asked = """SELECT pg_current_wal_insert_lsn() - '0/0', wal_sync, buffers_checkpoint + buffers_clean
            + buffers_backend FROM pg_stat_wal, pg_stat_bgwriter"""
        with self.database.read() as connection:
            wal, syncs, pages = (float(value) for value in connection.execute(sa.text(asked)).one())
        server = psutil.Process(self.postgres.pid)
        log = sum(file.stat().st_size for file in self.folder.glob("*.log"))
        web, worker, postgres = (_cpu(one) for one in (self.web, self.worker, server))
        return Reading(web, worker, postgres, wal, syncs, pages, log, time.monotonic())

    def memory(self) -> dict[str, float]:
        """MB of PSS of each role, with all that its command started."""
        found = {"web": self.web, "worker": self.worker, "postgres": psutil.Process(self.postgres.pid)}
        return {name: sum(_pss(one) for one in _family(process)) for name, process in found.items()}

    def connections(self) -> dict[str, int]:
        """How many connections to PostgreSQL each role has open."""
        found = {"web": self.web, "worker": self.worker}
        return {name: sum(map(self._connected, _family(process))) for name, process in found.items()}

    def _connected(self, process: psutil.Process) -> int:
        try:
            here = process.net_connections("tcp")
        except psutil.NoSuchProcess:  # one that inspected a file
            return 0
        return sum(
            one.status == "ESTABLISHED" and bool(one.raddr) and one.raddr[1] == self.postgres.port for one in here
        )

    def count(self, query: str) -> int:
        """One number."""
        with self.database.read() as connection:
            return int(connection.execute(sa.text(query)).scalar_one())

    def size(self) -> int:
        """Bytes of all tables with their indexes."""
        return self.count("SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND oid >= 16384")

    def undelivered(self) -> int:
        """How many items wait or are being sent."""
        return self.count("SELECT count(*) FROM outbox WHERE settled_at IS NULL")

    def visitor(self) -> "Visitor":
        """Somebody with a browser."""
        return Visitor(self, httpx.Client(base_url=f"http://127.0.0.1:{self.port}", trust_env=False, timeout=60))


@dataclass(frozen=True, slots=True)
class Visitor:
    """What people do. number: any; everybody else's has another one."""

    site: WholeSite
    browser: httpx.Client

    def _get(self, path: str) -> str:
        answer = self.browser.get(path)
        assert answer.status_code == 200, f"{path}: {answer.status_code}"
        return answer.text

    def _job(self, number: int) -> str:
        return self.site.jobs[number * 7_919 % len(self.site.jobs)]

    def sees_the_list(self, number: int) -> None:
        """A tenant's list of jobs."""
        self._get(f"/t{number % self.site.tenants}/")

    def sees_a_job(self, number: int) -> None:
        """Its page."""
        self._get(self._job(number))

    def opens_a_form(self, number: int) -> dict[str, str]:
        """The form's hidden fields."""
        page = self._get(f"{self._job(number)}/apply")
        return dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page))

    def applies(self, number: int, hidden: dict[str, str]) -> str:
        """With a CV, from a network of their own; the receipt's address."""
        fields = {**hidden, **ADA, "email": f"ada{number}.{self.site.port}@people.example"}
        away = {"X-Forwarded-For": f"10.{number // 250 % 250}.{number % 250}.1"}
        files = {"cv": ("cv.pdf", CV, "application/pdf")}
        answer = self.browser.post(f"{self._job(number)}/apply", data=fields, files=files, headers=away)
        assert answer.status_code == 303, f"{answer.status_code}: {answer.text[:2000]}"
        return str(answer.headers["location"])

    def sees_a_receipt(self, address: str) -> None:
        """The page that says where the application is."""
        self._get(address)


@contextmanager
def whole_site(folder: Path, postgres: Postgres, name: str, *, tenants: int, web: int = 1) -> Iterator[WholeSite]:
    """`web` web processes and one worker on the database of that name, whose mirror `mirrored` has filled."""
    with ExitStack() as stack:
        environment = _settings(folder, postgres.url(name), tenants)
        environment["PORTAL_MAIL"] = stack.enter_context(running_smtp()).address
        service, port = int(environment.pop("SERVICE")), free_port()
        argv = [sys.executable, "-m", "granian", "--interface", "wsgi", "--factory", "--host", "127.0.0.1"]
        argv += [
            "--port",
            str(service),
            "--blocking-threads",
            "4",
            "--log-level",
            "error",
            "bench.whole_site:accepting",
        ]
        own = {"PYTHONPATH": str(ROOT)}
        stack.enter_context(running(argv, log=folder / "service", ready=lambda: accepts(service), cwd=folder, env=own))
        processes = list[psutil.Process]()
        serve = ["serve", "--port", str(port), "--workers", str(web)]
        for words, ready in ((serve, lambda: accepts(port)), (["worker"], lambda: True)):
            argv, log = [sys.executable, "-m", "portal.cli", *words], folder / f"{words[0]}.log"
            started = stack.enter_context(running(argv, log=log, ready=ready, cwd=ROOT, env=environment))
            processes.append(psutil.Process(started.pid))
        database = stack.enter_context(_closing(Database(postgres.url(name), migrations=PORTAL)))
        with database.read() as connection:
            found = connection.execute(sa.text("SELECT tenant, posting_id FROM vacancies ORDER BY row")).all()
        jobs = [f"/{tenant}/jobs/{posting}" for tenant, posting in found if int(tenant[1:]) < tenants]
        site = WholeSite(folder, postgres, database, port, processes[0], processes[1], tenants, jobs)
        until(lambda: site.count("SELECT count(*) FROM outbox_workers WHERE load <> '{}'"), "the worker works")
        yield site


def until(true: Callable[[], object], what: str, *, seconds: float = 600) -> None:
    """Wait; the machine may be busy with other things."""
    ends = time.monotonic() + seconds
    while not true():
        if time.monotonic() > ends:
            raise TimeoutError(what)
        time.sleep(0.5)


def accepting() -> Flask:
    """A service that has nothing new for anybody, and takes every application."""
    app = Flask("accepting")

    @app.get("/<path:_path>")
    def nothing(_path: str) -> Response:
        return Response(_NOTHING, content_type="application/json")

    @app.post("/<path:_path>")
    def taken(_path: str) -> Response:
        return Response(b'{"received":true}', content_type="application/json")

    return app


def _settings(folder: Path, url: str, tenants: int) -> dict[str, str]:
    service = free_port()
    (folder / "tenants").mkdir(parents=True)
    (folder / "key").write_text("k" * 20)
    for number in range(tenants):
        text = f'name = "Tenant {number}"\n[publish]\nstages = ["Open"]\n[apply]\nphone_region = "DE"\n'
        text += f'[mail]\nfrom = "jobs@t{number}.example"\n'
        text += f'[tracker]\nbase_url = "http://127.0.0.1:{service}"\napi_key = "file:{folder / "key"}"\n'
        (folder / "tenants" / f"t{number}.toml").write_text(text)
    return {
        "SERVICE": str(service),
        "PORTAL_SECRET_KEY": SECRET,
        "PORTAL_DATABASE_URL": url,
        "PORTAL_TENANTS": str(folder / "tenants"),
        "PORTAL_ATTACHMENTS": f"file:{folder / 'attachments'}",
        "PORTAL_TRUSTED_PROXIES": "1",
        "PORTAL_DELIVERY_AMBIGUOUS_DELAY": "60",  # the service may close a connection while a request is under way
        "PORTAL_LOG": "json",
    }


@contextmanager
def _closing(database: Database) -> Iterator[Database]:
    try:
        yield database
    finally:
        database.close()


def _values(one: Reading) -> tuple[float, ...]:
    return dataclasses.astuple(one)


def _family(process: psutil.Process) -> list[psutil.Process]:
    return [process, *process.children(recursive=True)]


def _cpu(process: psutil.Process) -> float:
    """Seconds, with those of children that have ended."""
    times = [one.cpu_times() for one in _family(process)]
    return float(sum(one.user + one.system + one.children_user + one.children_system for one in times))


def _pss(process: psutil.Process) -> float:
    try:
        return float(process.memory_full_info().pss) / 2**20
    except psutil.NoSuchProcess:
        return 0.0
