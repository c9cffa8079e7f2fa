"""`portal serve` and `portal worker` as separate processes that a test can kill at any time.

The state of applications is read with the product's commands, because a database connection of the tests would keep
SQLite's write-ahead log alive and hide its loss."""

import itertools
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil

from tests.delivery.scene import SECRET, tenant_file
from tests.delivery.service import Service, service
from tests.parts import command
from tests.parts.process import accepts, free_port
from tests.parts.watch import sqlite_files
from tests.site.apply.applicant import ADA, CV

PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Of nobody's certificates: everything here is plain HTTP, and a context of its own is most of what a client costs."""
LEASE, DEADLINE, AMBIGUOUS, RETRY_BASE = 4.0, 3.0, 0.3, 0.1


@dataclass
class Form:
    """An open form."""

    address: str
    hidden: dict[str, str]
    fields: dict[str, str]

    @property
    def everything(self) -> dict[str, str]:
        return {**self.hidden, **self.fields}


@dataclass(frozen=True)
class Submission:
    """One entry of `portal submissions list`. attempts: None once it left the outbox."""

    reference: str
    tenant: str
    state: str
    attempts: int | None


@dataclass
class RunningPortal:
    """One portal of two companies; `acme`'s service honours Idempotency-Key, `globex`'s does not."""

    folder: Path
    environment: dict[str, str]
    services: dict[str, Service]
    port: int
    from_nothing: bool = False
    """Whether each process is an interpreter that reads everything anew, and shares no memory with others."""
    running: dict[str, psutil.Process] = field(default_factory=dict)
    acknowledged: dict[str, str] = field(default_factory=dict)
    attempts: dict[str, int] = field(default_factory=dict)
    """Reference → tenant."""
    people: Iterator[int] = field(default_factory=itertools.count)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def portal(self, *words: str) -> str:
        """Run a command and return its output; the test fails if the command does."""
        done = command.portal(*words, environment=self.environment)
        assert done.returncode == 0, f"portal {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def start(self, *names: str) -> None:
        """Start `serve` or `worker` without waiting."""
        for name in names:
            options = ["--port", str(self.port)] if name == "serve" else []
            told, log = {**os.environ, **self.environment}, self.folder / f"{name}.log"
            if self.from_nothing:
                self.running[name] = _interpreted(name, *options, environment=told, log=log)
            else:
                self.running[name] = command.started(name, *options, environment=told, log=log)

    def serving(self) -> None:
        """Wait until the web server accepts connections."""
        self.until(lambda: accepts(self.port), "the web server accepts connections")

    def kill(self, *names: str) -> None:
        """Kill the whole process group with SIGKILL."""
        for name in names:
            process = self.running.pop(name, None)
            if process is not None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait(60)
        if "serve" in names:
            self.until(lambda: not accepts(self.port), "the port is free")

    def until(self, true: Callable[[], object], what: str, *, seconds: float = 120) -> None:
        """Wait until a condition holds; otherwise the test fails with the end of the logs."""
        deadline = time.monotonic() + seconds
        while not true():
            if time.monotonic() > deadline:
                raise AssertionError(f"not within {seconds} s: {what}\n{self.logs()}")
            time.sleep(0.02)

    def logs(self) -> str:
        found = [self.folder / f"{name}.log" for name in ("serve", "worker")]
        return "\n".join(path.read_text(errors="replace")[-2_000:] for path in found if path.exists())

    def log_lines_about(self, reference: str) -> str:
        """Return the log lines about one application."""
        found = [self.folder / f"{name}.log" for name in ("serve", "worker")]
        lines = [line for path in found if path.exists() for line in path.read_text(errors="replace").splitlines()]
        return "\n".join(line for line in lines if reference in line)

    def open_form(self, tenant: str = "acme", **typed: str) -> Form:
        """Open the form of job-1 as a new visitor."""
        address = f"{self.url}/{tenant}/jobs/job-1/apply"
        with httpx.Client(trust_env=False, timeout=30, verify=PLAIN) as client:
            page = client.get(address)
        hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page.text))
        assert hidden, f"no form, but {page.status_code}:\n{page.text[:500]}"
        fields = {**ADA, "email": f"p{next(self.people)}@people.example", **typed}
        return Form(address, hidden, fields)

    def post(self, form: Form, *, cv: bool = True) -> httpx.Response:
        files = {"cv": (*(CV if cv else ("", b"")), "application/octet-stream")}
        # Each visitor comes from a different /24; otherwise the rate limits for one network would apply.
        number = next(self.people)
        away = {"X-Forwarded-For": f"10.{number // 250 % 250}.{number % 250}.1"}
        with httpx.Client(trust_env=False, timeout=60, verify=PLAIN) as client:
            return client.post(form.address, data=form.everything, files=files, headers=away)

    def acknowledge(self, form: Form, *, cv: bool = True) -> str:
        """Post the form, and record the returned reference."""
        answer = self.post(form, cv=cv)
        assert answer.status_code == 303, f"{answer.status_code}:\n{answer.text[:500]}\n{self.logs()}"
        reference = answer.headers["location"].rpartition("/")[2].partition("?")[0]
        self.acknowledged[reference] = form.address.split("/")[3]
        return reference

    def connection_with(self, request: bytes) -> socket.socket:
        """Open a connection that sends these bytes and reads nothing."""
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=10)
        connection.sendall(request)
        return connection

    def states(self) -> dict[str, Submission]:
        """Return every submission by its reference."""
        listed = json.loads(self.portal("submissions", "list", "--json"))
        found = {
            one["reference"]: Submission(one["reference"], one["tenant"], one["state"], one["attempts"])
            for one in listed
        }
        self.attempts.update({name: one.attempts for name, one in found.items() if one.attempts is not None})
        return found

    def accepted(self) -> int:
        """Return the number of submissions."""
        return len(self.states())

    def has_state(self, state: str, *references: str) -> bool:
        found = self.states()
        return all(found[one].state == state for one in references)

    def settled(self) -> None:
        """Wait until every acknowledged submission is delivered or failed; check that none is lost or duplicated."""
        final = {"delivered", "purged", "dead"}
        self.until(lambda: all(one.state in final for one in self.states().values()), "every application is settled")
        states = self.states()
        for reference, tenant in self.acknowledged.items():
            assert reference in states, f"{reference} was acknowledged and is not listed"
            has, state = self.services[tenant].counts()[reference], states[reference].state
            assert state == "dead" or has >= 1, f"{reference} is {state}, and the service does not have it"
            assert has <= self.max_transmissions(tenant, states[reference]), f"{reference} arrived {has} times"

    def max_transmissions(self, tenant: str, one: Submission) -> int:
        """Return how often the service may have received it: every attempt but the last was an ambiguous event.

        The number of attempts is not known for what has left the outbox; then it is those seen so far, plus one."""
        if self.services[tenant].honours_keys:
            return 1
        return one.attempts if one.attempts is not None else self.attempts.get(one.reference, 1) + 1


def _interpreted(*words: str, environment: dict[str, str], log: Path) -> psutil.Process:
    tied = [setpriv, "--pdeathsig", "KILL", "--"] if (setpriv := shutil.which("setpriv")) else []
    with log.open("ab") as out:
        return psutil.Popen(
            [*tied, sys.executable, "-m", "portal.cli", *words],
            env={**sqlite_files.inherited(), **environment},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )


def multipart(form: Form, *, cv: bool = True) -> bytes:
    """Return the whole request as a browser sends it."""
    files = {"cv": (*(CV if cv else ("", b"")), "application/octet-stream")}
    request = httpx.Request("POST", form.address, data=form.everything, files=files)
    head = f"POST {request.url.raw_path.decode()} HTTP/1.1\r\n"
    head += "".join(f"{name}: {value}\r\n" for name, value in request.headers.items())
    return head.encode() + b"\r\n" + request.read()


@contextmanager
def running_portal(folder: Path, database_url: str, **environment: str) -> Iterator[RunningPortal]:
    """Start both services, create the schema and sync vacancies with a first worker."""
    with ExitStack() as stack:
        services = {
            "acme": stack.enter_context(service(shows_applications=False)),
            "globex": stack.enter_context(service(shows_applications=False, honours_keys=False)),
        }
        (folder / "tenants").mkdir(parents=True)
        (folder / "key").write_text("a-key-of-the-service")
        for slug, behind in services.items():
            (folder / "tenants" / f"{slug}.toml").write_text(tenant_file(slug, behind.url, key=folder / "key"))
        port = free_port()
        told = {
            "PORTAL_SECRET_KEY": SECRET,
            "PORTAL_DATABASE_URL": database_url,
            "PORTAL_TENANTS": str(folder / "tenants"),
            "PORTAL_ATTACHMENTS": f"file:{folder / 'attachments'}",
            "PORTAL_MAIL": f"file:{folder / 'mail'}",
            "PORTAL_BASE_URL": f"http://127.0.0.1:{port}",
            "PORTAL_TRUSTED_PROXIES": "1",
            "PORTAL_SYNC_INTERVAL": "1",
            "PORTAL_DELIVERY_DEADLINE": str(DEADLINE),
            "PORTAL_DELIVERY_LEASE": str(LEASE),
            "PORTAL_DELIVERY_AMBIGUOUS_DELAY": str(AMBIGUOUS),
            "PORTAL_DELIVERY_RETRY_BASE": str(RETRY_BASE),
            **environment,
        }
        made = RunningPortal(folder, told, services, port)
        made.portal("db", "upgrade")
        stack.callback(lambda: made.kill(*list(made.running)))
        yield made
