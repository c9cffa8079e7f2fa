"""Two releases as wheels, each run from its own folder on one database, and visitors who use whichever is running."""

import itertools
import os
import re
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import PIPE, STDOUT, CompletedProcess, Popen, run

import httpx

from tests.delivery.running_portal import PLAIN
from tests.delivery.scene import SECRET, tenant_file
from tests.delivery.service import Service, service
from tests.parts.process import free_port, running
from tests.site.apply.applicant import ADA, CV

ROOT = Path(__file__).parents[2]


def site_of(source: Path, folder: Path) -> Path:
    """Install the wheel of that source into the folder; its dependencies are those of this environment."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "dist")]
    run(build, cwd=source, check=True, capture_output=True, timeout=120)
    (wheel,) = (folder / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def source_of(commit: str, folder: Path) -> Path:
    """Return the tree of that commit. In a shallow clone, this one: then only a migration of the test differs."""
    folder.mkdir(parents=True)
    archive = run(["git", "-C", str(ROOT), "archive", commit], check=False, capture_output=True, timeout=60)
    if archive.returncode:
        return ROOT
    run(["tar", "-x", "-C", str(folder)], input=archive.stdout, check=True, timeout=60)
    return folder


@dataclass
class Release:
    """One release. process: by the command's name."""

    site: Path
    environment: dict[str, str]
    folder: Path
    port: int = field(default_factory=free_port)
    process: dict[str, Popen[bytes]] = field(default_factory=dict)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def command(self, *words: str) -> CompletedProcess[str]:
        """Run a command to its end."""
        argv = [sys.executable, "-P", "-m", "portal.cli", *words]
        return run(
            argv, env=self._env, cwd=self.folder, text=True, stdout=PIPE, stderr=STDOUT, check=False, timeout=120
        )

    @contextmanager
    def up(self) -> Iterator[None]:
        """Run a server and a worker of it within the block, and then stop them."""
        with ExitStack() as stack:
            for name, options in (("serve", ["--port", str(self.port)]), ("worker", [])):
                argv = [sys.executable, "-P", "-m", "portal.cli", name, *options]
                log = self.folder / f"{self.site.parent.name}-{name}.log"
                ready = self._serves if name == "serve" else (lambda: True)
                part = running(argv, log=log, ready=ready, env=self._env, cwd=self.folder)
                self.process[name] = stack.enter_context(part)
            yield
            for process in self.process.values():
                process.terminate()
            assert [process.wait(60) for process in self.process.values()] == [0, 0]

    def status(self, path: str) -> int:
        try:
            return httpx.get(self.origin + path, trust_env=False, timeout=20, verify=PLAIN).status_code
        except httpx.HTTPError:
            return 0

    @property
    def _env(self) -> dict[str, str]:
        compiled = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(self.site / "bytecode")}
        # Without the check for SQLite files (tests/parts/watch): the older release did open them.
        return {**os.environ, **self.environment, **compiled, "PYTHONPATH": str(self.site)}

    def _serves(self) -> bool:
        return self.status("/healthz") == 200


@dataclass
class Visitors:
    """Visitors of the releases in `there`, one after the other, with a record of errors."""

    host: str
    there: Sequence[Release] = ()
    pages: int = 0
    references: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    _turn: Iterator[int] = field(default_factory=itertools.count)
    _stop: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Run the users within the block."""
        threads = [threading.Thread(target=self._again, args=(deed,)) for deed in (self._look, self._look, self._apply)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._stop.set()
            for thread in threads:
                thread.join()

    def _again(self, deed: Callable[[], None]) -> None:
        while not self._stop.wait(0.1):
            try:
                deed()
            except httpx.HTTPError as error:
                self.failed.append(f"{error!r}")

    def _look(self) -> None:
        paths = ("/acme/", "/acme/jobs/job-1", "/acme/?q=welder", "/acme/jobs.json", "/acme/profile")
        self._ask("GET", paths[self.pages % len(paths)])
        self.pages += 1

    def _apply(self) -> None:
        path = "/acme/jobs/job-1/apply"
        page = self._ask("GET", path)  # the form is sent to the next one, as a load balancer would
        fields = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page.text))
        fields |= {**ADA, "email": f"p{next(self._turn)}@people.example"}
        answer = self._ask("POST", path, data=fields, files={"cv": CV})
        if answer.status_code == 303:
            self.references.append(answer.headers["location"].rpartition("/")[2].partition("?")[0])
        else:
            self.failed.append(f"an application was not taken: {answer.status_code}")

    def _ask(self, method: str, path: str, **what: object) -> httpx.Response:
        turn, there = next(self._turn), self.there
        one = there[turn % len(there)]
        network = {"Host": self.host, "X-Forwarded-For": f"10.{turn // 62_500}.{turn // 250 % 250}.{turn % 250}"}
        with httpx.Client(trust_env=False, timeout=60, verify=PLAIN, headers=network) as client:
            answer = client.request(method, one.origin + path, **what)  # type: ignore[arg-type]  httpx's own names
        if answer.status_code >= 400:
            self.failed.append(f"{one.site.parent.name} {method} {path}: {answer.status_code}")
        return answer


@contextmanager
def company(folder: Path, database_url: str) -> Iterator[tuple[Service, dict[str, str]]]:
    """Run a company's service that accepts every request, also repeated ones; yield the settings of its portal."""
    (folder / "tenants").mkdir(parents=True)
    (folder / "key").write_text("a-key-of-the-service")
    with service(shows_applications=False, honours_keys=False) as there:
        (folder / "tenants" / "acme.toml").write_text(tenant_file("acme", there.url, key=folder / "key"))
        told = {
            "PORTAL_SECRET_KEY": SECRET,
            "PORTAL_DATABASE_URL": database_url,
            "PORTAL_TENANTS": str(folder / "tenants"),
            "PORTAL_ATTACHMENTS": f"file:{folder / 'attachments'}",
            "PORTAL_MAIL": f"file:{folder / 'mail'}",
            "PORTAL_BASE_URL": "http://127.0.0.1:8000",
            "PORTAL_TRUSTED_PROXIES": "1",
            "PORTAL_SYNC_INTERVAL": "1",
        }
        yield there, told
