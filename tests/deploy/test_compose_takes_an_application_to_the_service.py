"""The commands of deploy/README.md build the image and start the Compose sample, and an application is delivered."""

import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from portal.platform.clock import SystemClock
from portal.tracker import loading
from portal.tracker.tables import open_database
from tests.deploy.behind_nginx import Behind
from tests.parts.clamd import running_clamd
from tests.parts.compose import Compose, Stage
from tests.parts.nginx import certificate
from tests.parts.podman import ROOT, Podman, bridge
from tests.parts.postgres import Postgres, running_postgres
from tests.parts.process import free_port
from tests.parts.radosgw import running_radosgw
from tests.parts.smtp import SmtpServer, running_smtp
from tests.site.apply.applicant import CV, Applicant
from tests.site.apply.conftest import vacancy

# Alone, because Chromium cancels the requests of other tests whenever a container changes the network of the machine.
pytestmark = [pytest.mark.verify, pytest.mark.quiet]
TEXT = (ROOT / "deploy" / "README.md").read_text(encoding="utf-8").partition("## Containers")[2].partition("\n## ")[0]
BLOCKS = re.findall(r"(?ms)^```(\w+) ?([^\n]*)\n(.*?)^```$", TEXT)
NOBODY = {"Uid": "10001", "Gid": "10001", "CapEff": "0000000000000000", "CapBnd": "0000000000000000", "NoNewPrivs": "1"}


@dataclass
class Started:
    """folder: of compose.yaml, with secrets. checked: the output of `portal check`."""

    folder: Path
    compose: Compose
    podman: Podman
    postgres: Postgres
    smtp: SmtpServer
    stage: Stage
    checked: str = ""


def checkout(folder: Path) -> Path:
    """Return a copy of the checkout whose Compose folder is writable."""
    (folder / "deploy").mkdir(parents=True)
    for path in ROOT.iterdir():
        if path.name != "deploy":
            (folder / path.name).symlink_to(path)
    for path in (ROOT / "deploy").iterdir():
        if path.name != "compose":
            (folder / "deploy" / path.name).symlink_to(path)
    shutil.copytree(ROOT / "deploy" / "compose", folder / "deploy" / "compose")
    return folder


def setting(folder: Path, name: str) -> str:
    return re.findall(rf"(?m)^{name}=(.*)$", (folder / "secrets" / "settings.env").read_text())[0]


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory, containers: Podman) -> Iterator[Started]:
    """Start everything with the documented commands, with a company with one job at the service."""
    top = tmp_path_factory.mktemp("compose")
    folder, sockets = checkout(top / "checkout") / "deploy" / "compose", top / "sockets"
    sockets.mkdir()
    with ExitStack() as stack:
        postgres, store = stack.enter_context(running_postgres()), stack.enter_context(running_radosgw())
        scanner, smtp = stack.enter_context(running_clamd()), stack.enter_context(running_smtp())
        postgres.create(name="portal")
        store.admin("bucket", "rm", "--bucket=careers")
        for name, port in {"postgres": postgres.port, "store": store.port, "clamd": scanner.port}.items():
            stack.enter_context(bridge(sockets, name, port))
        stack.enter_context(bridge(sockets, "mail", smtp.port))
        published = {one: free_port() for one in ("80:80", "443:443", "127.0.0.1:8002:8002")}
        bridges = {"postgres": 5432, "store": 9000, "clamd": 3310}
        stage = Stage(str(folder), str(containers.folder), containers.name, str(sockets), bridges, published)
        made = Started(folder, Compose(stage), containers, postgres, smtp, stage)
        docker = top / "docker"
        docker.write_text(
            f'#!/bin/sh\nexec {sys.executable} -m tests.parts.compose {stage.write(top / "stage")} "$@"\n'
        )
        docker.chmod(0o755)
        for language, mark, text in BLOCKS:
            if mark:
                (folder / mark).write_text(text)
            else:
                assert language == "sh"
                made.checked = shell(top, text)
            if "secrets.sh" in text:
                keys = [f"--access-key={setting(folder, 'AWS_ACCESS_KEY_ID')}"]
                keys += [f"--secret={setting(folder, 'AWS_SECRET_ACCESS_KEY')}"]
                store.admin("user", "create", "--uid=compose", "--display-name=compose", *keys)
                certificate(folder / "tls", "portal.example", "careers.acme.example")
                beside(made)
        yield made
        containers.clear()


def shell(top: Path, text: str) -> str:
    """Run one block in the folder that the previous one left, after the manual steps in between."""
    kept = top / "folder"
    script = f"set -euo pipefail\ncd $(cat {kept} || echo {top / 'checkout'})\n{text}\npwd > {kept}\n"
    environment = {**os.environ, "PATH": f"{top}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", script], env=environment, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, f"{text}\n{done.stdout}{done.stderr}"
    return done.stdout


def beside(made: Started) -> None:
    """Set the address of an external mail server, and load jobs into the service once its database exists."""
    settings = made.folder / "secrets" / "settings.env"
    settings.chmod(0o644)
    with settings.open("a") as file:
        file.write("PORTAL_MAIL=smtp://mail:25\nPORTAL_SYNC_INTERVAL=1\n")
    image, _ = made.compose.runs("postgres")
    outside = made.podman.network("outside", internal=False)
    words = ["--network", outside, "--network-alias", "mail", "--volume", f"{made.stage.sockets}:/bridges"]
    made.podman.start("mail", words, image, ["socat", "TCP-LISTEN:25,fork", "UNIX-CONNECT:/bridges/mail"])


def until(true: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + 120
    while not true():
        assert time.monotonic() < deadline, what
        time.sleep(0.2)


def inside(made: Started, service: str, *words: str) -> str:
    return made.podman.do("exec", made.compose.containers(service)[0], *words)


def test_a_persons_application_arrives_at_the_service_and_a_receipt_is_mailed(started: Started):
    tracker = open_database(started.postgres.url("tracker"))
    loading.load(tracker, SystemClock(), "acme", [vacancy("welder", "Welder")])
    tracker.close()
    behind = Behind(started.folder / "tls", started.stage.published["443:443"], started.stage.published["80:80"])
    address = "http://tracker:8001/applications/vacancy/welder"
    key = setting(started.folder, "ACME_TRACKER_KEY")
    asks = f"import httpx; print(httpx.get({address!r}, headers={{'x-api-key': {key!r}}}).text)"
    with behind.browser() as browser:
        until(lambda: browser.get("/acme/jobs/welder").status_code == 200, "the job is shown")
        receipt = Applicant(browser, "/acme/jobs/welder/apply").receipt(CV, email="ada@people.example")
        until(lambda: 'data-state="sent"' in browser.get(receipt).text, "it is at the service")
    (application,) = json.loads(inside(started, "worker", "python", "-c", asks))["applications"]
    assert application["candidate"]["emails"] == ["ada@people.example"]
    until(lambda: any("ada@people.example" in mail["To"] for mail in started.smtp.received), "the receipt is mailed")


@pytest.mark.parametrize("service", ["serve-1", "serve-2", "worker", "tracker", "redis", "proxy"])
def test_every_service_passes_its_health_check(started: Started, service: str):
    assert len(started.compose.containers(service)) == (2 if service == "worker" else 1)
    started.compose.until_healthy(service)


def test_the_portals_own_check_finds_nothing_wrong(started: Started):
    assert "FAILED" not in started.checked
    for part in ("database schema", "attachments", "scanner", "inspection", "service acme"):
        assert re.search(rf"(?m)^ok +{part}", started.checked), started.checked


@pytest.mark.parametrize("service", ["serve-1", "worker", "tracker"])
def test_a_container_of_the_portal_may_do_nothing_and_writes_to_tmp_alone(started: Started, service: str):
    lines = inside(started, service, "cat", "/proc/1/status").splitlines()
    status = {name: value.split()[0] for name, value in (one.split(":\t", 1) for one in lines) if value.split()}
    assert {name: status[name] for name in NOBODY} == NOBODY
    full = started.compose.containers(service)[0]
    for place, writable in (("/", False), ("/run", False), ("/var/lib/portal", False), ("/tmp", True)):  # noqa: S108  as in the sample
        done = started.podman.ask("exec", full, "touch", f"{place}/canary")
        assert (done.returncode == 0) is writable, (place, done.stderr)


def test_the_console_answers_the_sign_on_of_this_machine_alone(started: Started):
    started.compose.up({"console"})
    started.compose.until_healthy("console")
    address = f"http://127.0.0.1:{started.stage.published['127.0.0.1:8002:8002']}/"
    named = {"X-Forwarded-User": "ops@example.com"}
    secret = {"X-Console-Secret": setting(started.folder, "PORTAL_CONSOLE_PROXY_SECRET")}
    assert httpx.get(address, headers=named, trust_env=False).status_code == 403
    answer = httpx.get(address, headers=named | secret, trust_env=False)
    assert answer.status_code == 200
    assert "Acme Robotics" in answer.text


def test_nginx_has_nothing_to_warn_of_and_speaks_http_2(started: Started):
    """Debian's 1.26 with Debian's nginx.conf; 1.22 reads the sample in test_the_nginx_sample_is_valid.py."""
    proxy, ends = started.compose.containers("proxy")[0], time.monotonic() + 60
    # Names of the network are briefly unavailable when a container joins it.
    while "host not found" in (said := started.podman.ask("exec", proxy, "nginx", "-t").stderr):
        assert time.monotonic() < ends, said
        time.sleep(1)
    assert "test is successful" in said
    assert "warn" not in said
    trusted = ssl.create_default_context(cafile=str(started.folder / "tls" / "fullchain.pem"))
    trusted.set_alpn_protocols(["h2", "http/1.1"])
    with (
        socket.create_connection(("127.0.0.1", started.stage.published["443:443"])) as line,
        trusted.wrap_socket(line, server_hostname="portal.example") as tls,
    ):
        assert tls.selected_alpn_protocol() == "h2"


def test_the_image_says_what_it_is(started: Started):
    labels = json.loads(started.podman.do("inspect", "--format", "{{json .Config.Labels}}", "careers-portal"))
    about = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    said = {name.removeprefix("org.opencontainers.image."): value for name, value in labels.items()}
    assert (said["title"], said["licenses"]) == ("Careers portal", about["license"])
    assert (said["description"], said["version"]) == (about["description"], about["version"])
    assert re.fullmatch(r"[0-9a-f]{40}", said["revision"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", said["created"])


def test_a_stop_ends_each_of_them_in_order(started: Started):
    for service in ("serve-1", "worker", "tracker"):
        full = started.compose.containers(service)[0]
        grace = started.compose.services[service]["stop_grace_period"].removesuffix("s")
        started.podman.do("stop", "--time", grace, full)
        assert started.podman.do("inspect", "--format", "{{.State.ExitCode}}", full).strip() == "0"
