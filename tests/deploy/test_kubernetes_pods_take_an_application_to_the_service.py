"""Each container of deploy/kubernetes runs with its pod's settings, its probes succeed, and an application arrives.

There is no cluster: Podman runs the containers with the users, read-only roots, volumes and memory limits of the
manifests. Services are names of their pods; network policies are only parsed (test_deployment_samples_are_valid).
"""

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from portal.platform.clock import SystemClock
from portal.tracker import loading
from portal.tracker.tables import open_database
from tests.parts.podman import PROGRAMS, ROOT, Podman, bridge
from tests.parts.postgres import Postgres, running_postgres
from tests.parts.process import free_port
from tests.parts.radosgw import running_radosgw
from tests.parts.redis import running_redis
from tests.parts.smtp import SmtpServer, running_smtp
from tests.site.apply.applicant import CV, Applicant
from tests.site.apply.conftest import vacancy

# Alone, because Chromium cancels the requests of other tests whenever a container changes the network of the machine.
pytestmark = [pytest.mark.verify, pytest.mark.quiet]
MANIFESTS = [
    one
    for path in sorted((ROOT / "deploy" / "kubernetes").glob("*.yaml"))
    for one in yaml.safe_load_all(path.read_text())
]
WORKLOADS = {one["metadata"]["name"]: one["spec"] for one in MANIFESTS if "template" in one["spec"]}
SERVICES = {one["metadata"]["name"]: one["spec"] for one in MANIFESTS if one["kind"] == "Service"}
TENANT = """
name = "Acme Robotics"
[tracker]
base_url = "http://tracker:8001"
api_key = "env:ACME_TRACKER_KEY"
[publish]
stages = ["Open"]
[mail]
from = "Acme Robotics <careers@acme.example>"
operator = "jobs@acme.example"
"""
INGRESS = {"Host": "portal.example", "X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.9"}


@dataclass
class Pod:
    """ports: name → the port of loopback that leads to it."""

    full: str
    container: dict[str, Any]
    ports: dict[str, int]


@dataclass
class Cluster:
    """volumes: secrets and config maps by name, as folders."""

    podman: Podman
    image: str
    volumes: Path
    postgres: Postgres
    smtp: SmtpServer
    pods: dict[str, list[Pod]] = field(default_factory=dict)

    def apply(self, name: str) -> None:
        """Start its pods; wait for a Job to finish."""
        spec = WORKLOADS[name]
        self.pods[name] = [self._pod(f"{name}.{number}", spec["template"]) for number in range(spec.get("replicas", 1))]
        for pod in self.pods[name]:
            if spec["template"]["spec"].get("restartPolicy") == "Never":
                assert self.podman.do("wait", pod.full).strip() == "0", self.podman.logs(pod.full)
            else:
                probe = pod.container["startupProbe"]
                until(
                    lambda pod=pod: self.answers(pod, "startup"),
                    pod.full,
                    probe["periodSeconds"] * probe["failureThreshold"],
                )

    def answers(self, pod: Pod, kind: str) -> bool:
        """Return whether a probe of the container succeeds."""
        probe = pod.container[f"{kind}Probe"]
        if "exec" in probe:
            return self.podman.ask("exec", pod.full, *probe["exec"]["command"]).returncode == 0
        address = f"http://127.0.0.1:{pod.ports[probe['httpGet']['port']]}{probe['httpGet']['path']}"
        try:
            return httpx.get(address, trust_env=False, timeout=probe.get("timeoutSeconds", 1)).is_success
        except httpx.HTTPError:
            return False

    def _pod(self, name: str, template: dict[str, Any]) -> Pod:
        (container,) = template["spec"]["containers"]
        labels = template["metadata"]["labels"].items()
        ports = {one["name"]: free_port() for one in container.get("ports", [])}
        network = self.podman.network("cluster", internal=False)
        options = ["--network", network, *restrictions(template["spec"], container), "--no-healthcheck"]
        for service, said in SERVICES.items():
            if said["selector"].items() <= labels:
                options += ["--network-alias", service]
        for one in container.get("ports", []):
            options += ["--publish", f"127.0.0.1:{ports[one['name']]}:{one['containerPort']}"]
        volumes = {one["name"]: one for one in template["spec"]["volumes"]}
        for mount in container["volumeMounts"]:
            options += self._mount(mount, volumes[mount["name"]])
        return Pod(self.podman.start(name, options, self.image, container["args"]), container, ports)

    def _mount(self, mount: dict[str, Any], volume: dict[str, Any]) -> list[str]:
        if "emptyDir" in volume:
            size = volume["emptyDir"].get("sizeLimit", "1Gi").removesuffix("i").lower()
            return ["--tmpfs", f"{mount['mountPath']}:mode=777,size={size}"]
        assert mount["readOnly"] is True
        name = volume["secret"]["secretName"] if "secret" in volume else volume["configMap"]["name"]
        return ["--volume", f"{self.volumes / name}:{mount['mountPath']}:ro"]


def restrictions(pod: dict[str, Any], container: dict[str, Any]) -> list[str]:
    """Return the users, privileges, files and memory of the pod and its container as options of `podman run`."""
    said, whose = container["securityContext"], pod["securityContext"]
    assert said["allowPrivilegeEscalation"] is False
    assert said["readOnlyRootFilesystem"] is True
    found = ["--security-opt", "no-new-privileges", "--read-only", "--read-only-tmpfs=false"]
    found += [word for one in said["capabilities"]["drop"] for word in ("--cap-drop", one)]
    found += ["--user", f"{whose['runAsUser']}:{whose['runAsGroup']}"]
    return [*found, "--memory", container["resources"]["limits"]["memory"].removesuffix("i").lower()]


def until(true: Callable[[], bool], what: str, seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, what
        time.sleep(0.2)


def secret(folder: Path, text: str) -> None:
    """Make a secret's volume: files that only the pods' group can read."""
    folder.mkdir()
    (folder / "settings.env").write_text(text)
    (folder / "settings.env").chmod(0o440)
    os.chown(folder / "settings.env", 0, 10001)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory, containers: Podman) -> Iterator[Cluster]:
    """Apply everything in the order stated in the files' first lines, with a company with one job."""
    top = tmp_path_factory.mktemp("kubernetes")
    (top / "sockets").mkdir()
    (top / "portal-tenants").mkdir()
    (top / "portal-tenants" / "acme.toml").write_text(TENANT)
    with ExitStack() as stack:
        postgres, store = stack.enter_context(running_postgres()), stack.enter_context(running_radosgw())
        redis, smtp = stack.enter_context(running_redis()), stack.enter_context(running_smtp())
        postgres.create(name="portal")
        postgres.create(name="tracker")
        made = Cluster(containers, containers.built(), top, postgres, smtp)
        network = containers.network("cluster", internal=False)
        brought = {
            "db": (5432, postgres.port),
            "s3": (9000, store.port),
            "redis": (6379, redis.port),
            "mail": (25, smtp.port),
        }
        for name, (port, here) in brought.items():
            stack.enter_context(bridge(top / "sockets", name, here))
            options = ["--network", network, "--network-alias", name, "--volume", f"{top / 'sockets'}:/bridges"]
            to = ["socat", f"TCP-LISTEN:{port},fork", f"UNIX-CONNECT:/bridges/{name}"]
            containers.start(name, options, containers.made("programs", PROGRAMS), to)
        secret(top / "tracker-settings", TRACKER)
        made.apply("tracker")
        first = made.pods["tracker"][0].full
        containers.do("exec", first, "with-settings", "tracker", "tenant", "add", "acme", "Acme Robotics")
        key = containers.do("exec", first, "with-settings", "tracker", "key", "create", "acme").strip()
        credentials = "".join(f"{name}={value}\n" for name, value in store.environment.items())
        secret(top / "portal-settings", f"{SETTINGS}{credentials}ACME_TRACKER_KEY={key}\n")
        tracker = open_database(postgres.url("tracker"))
        loading.load(tracker, SystemClock(), "acme", [vacancy("welder", "Welder")])
        tracker.close()
        for name in ("portal-migrate", "portal-serve", "portal-worker", "portal-console"):
            made.apply(name)
        yield made
        containers.clear()


TRACKER = """TRACKER_DATABASE_URL=postgresql+psycopg://portal@db/tracker
TRACKER_RATE_LIMITS=redis://redis:6379/1
TRACKER_BASE_URL=http://tracker:8001
"""
SETTINGS = """PORTAL_SECRET_KEY=a-secret-of-this-test-and-no-other
PORTAL_BASE_URL=https://portal.example
PORTAL_TRUSTED_PROXIES=1
PORTAL_DATABASE_URL=postgresql+psycopg://portal@db/portal
PORTAL_TENANTS=/etc/portal/tenants
PORTAL_ATTACHMENTS=s3://careers
PORTAL_S3_ENDPOINT=http://s3:9000
PORTAL_S3_PUBLIC_ENDPOINT=none
PORTAL_RATE_LIMITS=redis://redis:6379/0
PORTAL_MAIL=smtp://mail:25
PORTAL_SYNC_INTERVAL=1
"""


@pytest.mark.parametrize("name", [name for name in WORKLOADS if name != "portal-migrate"])
def test_every_probe_of_every_pod_succeeds(cluster: Cluster, name: str):
    assert len(cluster.pods[name]) == WORKLOADS[name]["replicas"]
    for pod in cluster.pods[name]:
        assert cluster.answers(pod, "liveness")
        if "readinessProbe" in pod.container:
            until(lambda pod=pod: cluster.answers(pod, "readiness"), f"{pod.full} is ready")


def test_a_persons_application_arrives_at_the_service_and_a_receipt_is_mailed(cluster: Cluster):
    (serve, _), (tracker, _) = cluster.pods["portal-serve"], cluster.pods["tracker"]
    with httpx.Client(
        base_url=f"http://127.0.0.1:{serve.ports['http']}", headers=INGRESS, trust_env=False, timeout=30
    ) as browser:
        until(lambda: browser.get("/acme/jobs/welder").status_code == 200, "the job is shown")
        receipt = Applicant(browser, "/acme/jobs/welder/apply").receipt(CV, email="ada@people.example")
        until(lambda: 'data-state="sent"' in browser.get(receipt).text, "it is at the service")
    settings = (cluster.volumes / "portal-settings" / "settings.env").read_text()
    key = {"x-api-key": settings.rpartition("ACME_TRACKER_KEY=")[2].strip()}
    address = f"http://127.0.0.1:{tracker.ports['http']}/applications/vacancy/welder"
    (application,) = httpx.get(address, headers=key, trust_env=False).json()["applications"]
    assert application["candidate"]["emails"] == ["ada@people.example"]
    until(lambda: any("ada@people.example" in mail["To"] for mail in cluster.smtp.received), "the receipt is mailed")


def test_a_worker_that_hangs_is_noticed(cluster: Cluster):
    worker = cluster.pods["portal-worker"][0]
    cluster.podman.do("pause", worker.full)
    try:
        assert not cluster.answers(worker, "liveness")
    finally:
        cluster.podman.do("unpause", worker.full)
    until(lambda: cluster.answers(worker, "liveness"), "it goes on")


def test_the_console_shows_the_company_to_who_forwards_a_port(cluster: Cluster):
    """A forwarded port reaches the pod's loopback; elsewhere in the cluster nothing listens."""
    (console,) = cluster.pods["portal-console"]
    page = "import httpx; print(httpx.get('http://127.0.0.1:8002/').text)"
    assert "Acme Robotics" in cluster.podman.do("exec", console.full, "python", "-c", page)
    (network,) = json.loads(
        cluster.podman.do("inspect", "--format", "{{json .NetworkSettings.Networks}}", console.full)
    ).values()
    reach = f"import socket; socket.create_connection(('{network['IPAddress']}', 8002), 2)"
    done = cluster.podman.ask("exec", cluster.pods["portal-serve"][0].full, "python", "-c", reach)
    assert "ConnectionRefusedError" in done.stderr


def test_a_stop_ends_each_of_them_within_its_time(cluster: Cluster):
    for name in ("portal-serve", "portal-worker", "portal-console", "tracker"):
        pod = cluster.pods[name][0]
        before = pod.container.get("lifecycle", {}).get("preStop", {}).get("exec", {}).get("command")
        if before:
            cluster.podman.do("exec", pod.full, *before)
        grace = WORKLOADS[name]["template"]["spec"]["terminationGracePeriodSeconds"]
        cluster.podman.do("stop", "--time", str(grace), pod.full)
        assert cluster.podman.do("inspect", "--format", "{{.State.ExitCode}}", pod.full).strip() == "0"
