"""The blocks of docs/operating/install.md, run in order in an empty folder with real servers, create a working portal.

The blocks are run as they are, except for the paths, ports and names in SUBSTITUTED and the blocks marked `machine`:
a test must not change packages, users and systemd. The units that one of those blocks starts are started here by
their own ExecStart, with their own settings."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psycopg
import pytest

from tests.deploy.behind_nginx import Behind
from tests.parts.clamd import RunningClamd
from tests.parts.nginx import certificate, running_nginx, substituted
from tests.parts.postgres import Postgres, binaries
from tests.parts.process import accepts, free_port, running
from tests.parts.radosgw import BUCKET, RunningRadosgw
from tests.parts.redis import RunningRedis
from tests.parts.smtp import SmtpServer
from tests.site.apply.applicant import CV, Applicant

pytestmark = [pytest.mark.xdist_group("install-manual"), pytest.mark.verify]
ROOT = Path(__file__).parents[2]
MANUAL = (ROOT / "docs" / "operating" / "install.md").read_text(encoding="utf-8")
ORIGIN = "https://careers.example"
JOB = re.compile(r'href="[^"]*/jobs/([A-Za-z0-9_-]+)[^"/]*"')


@dataclass(frozen=True)
class Block:
    """language, and what follows it: nothing, `machine`, or the file that the block contains."""

    language: str
    mark: str
    text: str


def blocks() -> list[Block]:
    return [Block(*found) for found in re.findall(r"(?ms)^```(\w+) ?([^\n]*)\n(.*?)^```$", MANUAL)]


@dataclass
class Machine:
    """An empty folder that replaces a machine's file system, and its servers."""

    folder: Path
    substituted: dict[str, str]
    ports: dict[str, int]
    environment: dict[str, str]
    servers: ExitStack
    said: list[str] = field(default_factory=list)

    def here(self, text: str) -> str:
        one = re.compile("|".join(re.escape(each) for each in sorted(self.substituted, key=len, reverse=True)))
        return one.sub(lambda found: self.substituted[found[0]], text)

    def shell(self, text: str) -> str:
        """Run one block in the shell state of the previous blocks; return its output."""
        kept = self.folder / "shell"
        script = f"set -euo pipefail\n[ ! -e {kept} ] || . {kept}\n{self.here(text)}\nexport -p > {kept}\n"
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self.folder / "release",
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=900,  # pip unpacks sixty packages while other tests run
            check=False,
        )
        assert done.returncode == 0, f"{text}\n{done.stdout}"
        self.said.append(done.stdout)
        return done.stdout

    def start(self, unit: str) -> None:
        """Start a unit's ExecStart with the settings of its EnvironmentFile."""
        name, _, instance = unit.partition("@")
        units = self.folder / "var" / "units"
        text = "".join(each.read_text() for each in [next(units.glob(f"{name}*.service")), *units.glob("portal-.*/*")])
        told = dict(re.findall(r"(?m)^(ExecStart|EnvironmentFile|WorkingDirectory)=(.*)$", text))
        command = told["ExecStart"].replace("%i", str(self.ports.get(instance, instance)))
        script = f"set -a; . {told['EnvironmentFile']}; exec {command}"
        port = self.ports["8001"] if name == "portal-tracker" else self.ports.get(instance)
        self.servers.enter_context(
            running(
                ["bash", "-c", script],
                log=self.folder / f"{unit}.log",
                ready=lambda: port is None or accepts(port),
                env=self.environment,
                cwd=Path(told["WorkingDirectory"]),
            )
        )


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of `make wheel`, with its hashes."""
    folder = tmp_path_factory.mktemp("machine") / "release"
    (folder / "requirements").mkdir(parents=True)
    shutil.copy(ROOT / "requirements" / "run.txt", folder / "requirements")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "dist")]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=120)
    return folder


@pytest.fixture
def machine(
    release: Path,
    postgres: Postgres,
    radosgw: RunningRadosgw,
    redis: RunningRedis,
    clamd: RunningClamd,
    smtp: SmtpServer,
) -> Iterator[Machine]:
    folder = release.parent
    (folder / "nginx").mkdir()
    certificate(folder / "nginx", "careers.example")
    ports = {"8000": free_port(), "8010": free_port(), "8001": free_port(), "443": free_port(), "80": free_port()}
    at_home = "careers.example:443:127.0.0.1"
    substitutes = {
        "/opt/portal": f"{folder}/opt",
        "/var/lib/portal": f"{folder}/var",
        "/etc/nginx/conf.d": f"{folder}/nginx",
        "sudo -u postgres psql": f"psql --host=127.0.0.1 --port={postgres.port} --username=portal --dbname=postgres",
        "CREATE ROLE portal": "CREATE ROLE manual",  # the test server has this role already
        "OWNER portal": "OWNER manual",
        "ALTER SYSTEM SET max_connections = 150;": "",  # the test server has enough
        "//portal:": "//manual:",
        "127.0.0.1:5432": f"127.0.0.1:{postgres.port}",
        "127.0.0.1:6379": f"127.0.0.1:{redis.port}",
        "127.0.0.1:3310": f"127.0.0.1:{clamd.port}",
        "127.0.0.1:25 ": f"127.0.0.1:{smtp.port} ",
        "127.0.0.1:8001": f"127.0.0.1:{ports['8001']}",
        "127.0.0.1:8000": f"127.0.0.1:{ports['8000']}",
        "https://s3.example": radosgw.endpoint,
        "curl ": f"curl --cacert {folder}/nginx/fullchain.pem --connect-to {at_home}:{ports['443']} ",
    }
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PORTAL_", "TRACKER_"))}
    inherited |= radosgw.environment | {"PATH": f"{os.environ['PATH']}:{binaries()}", "PYTHONDONTWRITEBYTECODE": ""}
    inherited.pop("PYTHONPYCACHEPREFIX", None)
    with ExitStack() as servers:
        yield Machine(folder, substitutes, ports, inherited, servers)
    with psycopg.connect(f"host=127.0.0.1 port={postgres.port} user=portal dbname=postgres", autocommit=True) as admin:
        admin.execute("DROP DATABASE IF EXISTS portal WITH (FORCE)")
        admin.execute("DROP DATABASE IF EXISTS tracker WITH (FORCE)")
        admin.execute("DROP ROLE IF EXISTS manual")


def until(done: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + 180
    while not done():
        assert time.monotonic() < deadline, what
        time.sleep(0.2)


def test_the_manual_leads_from_an_empty_machine_to_a_delivered_application(machine: Machine, smtp: SmtpServer):
    checked = ""
    assert f"s3://{BUCKET}" in MANUAL, "the expected file exists"
    for block in blocks():
        if block.mark == "machine":
            for line in re.findall(r"systemctl enable --now (.*)", block.text):
                for unit in line.split():
                    machine.start(unit)
        elif block.mark:
            Path(machine.here(block.mark)).write_text(machine.here(block.text))
        else:
            if "curl" in block.text:
                _jobs_are_mirrored(machine)
            said = machine.shell(block.text)
            if block.text.strip() == "portal check":
                checked = said
            if "portal.conf" in block.text:
                _start_nginx(machine)
    assert "FAILED" not in checked
    assert "ok      database schema" in checked
    assert "ok      attachments" in checked
    assert "ok      scanner" in checked
    assert "counted across all processes" in checked
    assert "ok      service database" in checked, "the service is on PostgreSQL too"
    assert "other users of this machine cannot read stored files" in checked
    _somebody_applies(machine, smtp)


def _start_nginx(machine: Machine) -> None:
    home = machine.folder / "nginx"
    pages = next((machine.folder / "opt").glob("lib/python3*/site-packages/portal/deploy/nginx/pages"))
    changes = {
        "127.0.0.1:8010": f"127.0.0.1:{machine.ports['8010']}",
        "127.0.0.1:8000": f"127.0.0.1:{machine.ports['8000']}",
        "listen 80": f"listen 127.0.0.1:{machine.ports['80']}",
        "listen [::]:80": f"listen [::1]:{machine.ports['80']}",
        "listen 443": f"listen 127.0.0.1:{machine.ports['443']}",
        "listen [::]:443": f"listen [::1]:{machine.ports['443']}",
        "/etc/ssl/portal/": f"{home}/",
        "/var/log/nginx/": f"{home}/",
        "/usr/share/portal/pages/": f"{pages}/",
        "/var/www/acme": f"{home}/acme",
    }
    sample = (home / "portal.conf").read_text()
    assert "server_name careers.example;" in sample
    machine.servers.enter_context(running_nginx(home, substituted(sample, changes), port=machine.ports["443"]))


def _browser(machine: Machine) -> httpx.Client:
    browser = Behind(machine.folder / "nginx", machine.ports["443"], machine.ports["80"]).browser()
    browser.base_url = httpx.URL(ORIGIN)
    return browser


def _jobs_are_mirrored(machine: Machine) -> None:
    with _browser(machine) as browser:
        until(lambda: JOB.search(browser.get("/acme/").text) is not None, "no job is public")


def _somebody_applies(machine: Machine, smtp: SmtpServer) -> None:
    key = (machine.folder / "var" / "keys" / "acme").read_text().strip()
    service = f"http://127.0.0.1:{machine.ports['8001']}"
    with _browser(machine) as browser:
        listed = browser.get("/acme/").text
        vacancy = JOB.findall(listed)[0]
        assert browser.get(f"/acme/jobs/{vacancy}").status_code == 200
        receipt = Applicant(browser, f"/acme/jobs/{vacancy}/apply").receipt(CV, email="ada@people.example")
        until(lambda: 'data-state="sent"' in browser.get(receipt).text, "the application did not arrive")
    with httpx.Client(headers={"x-api-key": key}, trust_env=False) as recruiter:
        found = recruiter.get(f"{service}/applications/vacancy/{vacancy}").text
    assert "ada@people.example" in found
    until(lambda: any("ada@people.example" in mail["To"] for mail in smtp.received), "no receipt was mailed")


def test_only_blocks_about_a_machine_are_left_out():
    left_out = [block.text for block in blocks() if block.mark == "machine"]
    assert len(left_out) == 5
    for line in "".join(left_out).splitlines():
        assert re.match(
            r"apt-get|useradd|install -d|systemctl|cp -r|mkdir|nginx|read -r|rm -f /etc/nginx/|sudo .*bash$", line
        ), line
