"""Each file of deploy/ is read by the program it is for, or held against its schema, and says what it must."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from portal.platform.config.settings import STOP_TIMEOUT, Settings
from tests.deploy.behind_caddy import DEBIANS, NEWEST, there
from tests.parts.missing import program

DEPLOY = Path(__file__).parents[2] / "deploy"
COMPOSE = DEPLOY / "compose"
BIN = Path(sys.executable).parent
MANIFESTS = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
VERSIONS = ("1.29.0", "1.37.0")
UNITS = ["portal-serve@8000", "portal-worker@1", "portal-tracker", "portal-console", "portal-backup"]


def told(*command: str | Path, cwd: Path | None = None, **more: Any) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, timeout=120, check=False, cwd=cwd, **more
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout + done.stderr)


def in_compose() -> dict[str, Any]:
    return yaml.safe_load((COMPOSE / "compose.yaml").read_text())  # type: ignore[no-any-return]


def documents(path: Path) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(path.read_text()))


def pods() -> list[tuple[str, dict[str, Any]]]:
    found = [one for path in MANIFESTS for one in documents(path) if "template" in one["spec"]]
    return [(one["metadata"]["name"], one["spec"]["template"]["spec"]) for one in found]


def test_the_containerfile_has_nothing_to_object_to():
    done = told(BIN / "hadolint", "--failure-threshold", "style", DEPLOY / "Containerfile")
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("program", [NEWEST, DEBIANS], ids=["newest", "debians"])
def test_caddy_reads_its_file(tmp_path: Path, program: Path):
    home = {"HOME": str(tmp_path)}
    file = DEPLOY / "caddy" / "Caddyfile"
    done = told(there(program), "validate", "--adapter", "caddyfile", "--config", file, env=home)
    assert done.returncode == 0, done.stdout
    assert '"level":"warn"' not in done.stdout
    assert told(there(program), "fmt", file, env=home).stdout == file.read_text()


def test_compose_has_the_shape_of_the_compose_specification():
    done = told(BIN / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", COMPOSE / "compose.yaml")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("service", in_compose()["services"])
def test_a_container_can_do_no_more_than_it_must(service: str):
    said = in_compose()["services"][service]
    assert said["read_only"] is True
    assert said["cap_drop"] == ["ALL"]
    assert said["security_opt"] == ["no-new-privileges:true"]
    assert "healthcheck" in said
    assert said.get("privileged") is None
    published = [each for each in said.get("ports", []) if not each.startswith("127.0.0.1:")]
    assert published == (["80:80", "443:443"] if service == "proxy" else [])


def test_a_container_of_the_portal_has_the_time_that_a_stop_takes():
    said = in_compose()["services"]
    portals = [one for one in said.values() if one["image"] == "careers-portal"]
    assert len(portals) == 7
    assert all(int(one["stop_grace_period"].removesuffix("s")) >= STOP_TIMEOUT + 5 for one in portals)
    assert said["worker"]["deploy"]["replicas"] == 2


def test_a_file_that_is_mounted_is_there():
    mounted = [one for said in in_compose()["services"].values() for one in said.get("volumes", [])]
    ours = [one.split(":")[0] for one in mounted if one.startswith("..")]
    assert len(ours) == 3
    assert all((COMPOSE / each).exists() for each in ours)


def test_its_nginx_is_the_sample_before_its_two_servers(tmp_path: Path):
    said = in_compose()["services"]
    shell = said["proxy"]["command"][2].partition(" && ")[0]
    for inside, here in (("/usr/share/portal", DEPLOY / "nginx"), ("/etc/nginx/conf.d", tmp_path)):
        shell = shell.replace(inside, str(here))
    assert told("sh", "-c", shell).returncode == 0
    servers = [
        line.split()[1] for line in (tmp_path / "portal.conf").read_text().splitlines() if "max_fails=0;" in line
    ]
    assert servers == ["serve-1:8000", "serve-2:8000"]
    assert {each.partition(":")[0] for each in servers} <= set(said)


def test_its_passwords_are_made_and_read_by_the_portal(tmp_path: Path):
    script = tmp_path / "secrets.sh"
    script.write_bytes((COMPOSE / "secrets.sh").read_bytes())
    program("openssl", how="apt-get install openssl")
    assert told("sh", script, "portal.example").returncode == 0
    made = tmp_path / "secrets"
    assert made.stat().st_mode & 0o777 == 0o700
    assert {one.name for one in made.iterdir()} == set(in_compose()["secrets"])
    lines = [one for one in (made / "settings.env").read_text().splitlines() if one and not one.startswith("#")]
    settings = Settings.from_env(dict(one.split("=", 1) for one in lines))
    assert settings.base_url == "https://portal.example"
    assert (made / "postgres_password").read_text() in settings.database_url
    assert len({one.read_text() for one in made.iterdir()}) == 5
    again = told("sh", script, "portal.example")
    assert again.returncode == 1
    assert "nothing was changed" in again.stdout
    assert dict(one.split("=", 1) for one in lines)["PORTAL_SECRET_KEY"] in (made / "settings.env").read_text()


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.stem)
def test_a_manifest_has_the_shape_that_kubernetes_takes(path: Path, version: str):
    import kubernetes_validate  # reads grammars for a second, which every test process would wait for

    for one in documents(path):
        kubernetes_validate.validate(one, version, strict=True)


def test_a_manifest_with_a_slip_would_be_seen():
    import kubernetes_validate

    one = documents(DEPLOY / "kubernetes" / "migrate.yaml")[0]
    one["spec"]["backofLimit"] = 3
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(one, VERSIONS[-1], strict=True)


@pytest.mark.parametrize(("name", "pod"), pods())
def test_a_pod_runs_as_nobody_and_writes_nowhere_else(name: str, pod: dict[str, Any]):
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert pod["automountServiceAccountToken"] is False
    (container,) = pod["containers"]
    confined = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
    assert container["securityContext"] == confined
    assert "env" not in container, "secrets are by reference"
    volumes = {one["name"]: one for one in pod["volumes"]}
    assert volumes["settings"]["secret"]["secretName"] == f"{name.partition('-')[0]}-settings"
    assert {one["name"] for one in container["volumeMounts"]} == set(volumes)
    if name != "portal-migrate":
        assert pod["terminationGracePeriodSeconds"] >= STOP_TIMEOUT + 5


@pytest.mark.parametrize("file", ["portal.yaml", "tracker.yaml"])
def test_labels_lead_to_the_pods_that_they_mean(file: str):
    ours = documents(DEPLOY / "kubernetes" / file)
    labels = [one["spec"]["template"]["metadata"]["labels"] for one in ours if one["kind"] == "Deployment"]
    for one in ours:
        selector = one["spec"].get("selector") or one["spec"].get("podSelector")
        wanted = selector.get("matchLabels", selector)
        assert any(wanted.items() <= each.items() for each in labels), one["metadata"]["name"]


def test_the_portal_may_speak_to_whatever_its_settings_name():
    """Ports as the schemes of its settings have them; S3, the scanner and the service where they are usual."""
    (policy,) = [one for one in documents(DEPLOY / "kubernetes" / "portal.yaml") if one["kind"] == "NetworkPolicy"]
    ports = {port["port"] for rule in policy["spec"]["egress"] for port in rule["ports"]}
    smtp, s3, redis = {25, 465, 587}, {443, 9000}, {6379, 6380}
    assert ports == {53, 5432, 3310, 8001} | smtp | s3 | redis


def test_every_deployment_is_watched():
    """By a liveness probe, whose port is one that the container has."""
    for name, pod in pods():
        (container,) = pod["containers"]
        probes = [container.get(f"{kind}Probe") for kind in ("startup", "liveness")]
        assert all(probes) is (name != "portal-migrate"), name
        named = {port["name"] for port in container.get("ports", [])}
        assert {one["httpGet"]["port"] for one in probes if one and "httpGet" in one} <= named


@pytest.fixture
def units(tmp_path: Path) -> Path:
    """The units of deploy/ as they stand, but for the program, which systemd looks for."""
    folder = tmp_path / "units"
    for path in (DEPLOY / "systemd").rglob("*.*"):
        if path.is_file():
            here = folder / path.relative_to(DEPLOY / "systemd")
            here.parent.mkdir(parents=True, exist_ok=True)
            here.write_text(path.read_text().replace("/opt/portal/bin/portal", str(BIN / "portal")))
    return folder


@pytest.mark.parametrize("unit", [*(f"{one}.service" for one in UNITS), "portal-backup.timer"])
def test_systemd_has_nothing_to_object_to(units: Path, unit: str):
    analyze = program("systemd-analyze", how="apt-get install systemd")
    done = told(analyze, "verify", unit, env={"SYSTEMD_UNIT_PATH": f"{units}:"})
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_is_exposed_to_two_of_ten_at_most(units: Path, unit: str):
    analyze = program("systemd-analyze", how="apt-get install systemd")
    file = units / f"{unit.partition('@')[0]}{'@' * ('@' in unit)}.service"
    done = told(analyze, "security", "--offline=yes", "--no-pager", "--threshold=20", file)
    assert done.returncode == 0, done.stdout
    (units / "portal-.service.d" / "50-portal.conf").unlink()
    assert told(analyze, "security", "--offline=yes", "--no-pager", "--threshold=20", file).returncode == 1


def test_a_unit_has_the_time_that_a_stop_takes():
    said = (DEPLOY / "systemd" / "portal-.service.d" / "50-portal.conf").read_text()
    assert f"TimeoutStopSec={STOP_TIMEOUT + 10}\n" in said
