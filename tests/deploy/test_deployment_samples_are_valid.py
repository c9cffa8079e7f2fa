"""Each file of deploy/ is checked by its program or against its schema, and contains the required settings."""

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


def test_the_containerfile_passes_its_linter():
    done = told(BIN / "hadolint", "--failure-threshold", "style", DEPLOY / "Containerfile")
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("program", [NEWEST, DEBIANS], ids=["newest", "debians"])
def test_the_caddyfile_is_valid(tmp_path: Path, program: Path):
    home = {"HOME": str(tmp_path)}
    file = DEPLOY / "caddy" / "Caddyfile"
    done = told(there(program), "validate", "--adapter", "caddyfile", "--config", file, env=home)
    assert done.returncode == 0, done.stdout
    assert '"level":"warn"' not in done.stdout
    assert told(there(program), "fmt", file, env=home).stdout == file.read_text()


def test_the_compose_file_matches_the_compose_specification():
    done = told(BIN / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", COMPOSE / "compose.yaml")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("service", in_compose()["services"])
def test_containers_have_minimal_privileges(service: str):
    said = in_compose()["services"][service]
    assert said["read_only"] is True
    assert said["cap_drop"] == ["ALL"]
    assert said["security_opt"] == ["no-new-privileges:true"]
    assert "healthcheck" in said
    assert said.get("privileged") is None
    published = [each for each in said.get("ports", []) if not each.startswith("127.0.0.1:")]
    assert published == (["80:80", "443:443"] if service == "proxy" else [])


def test_containers_of_the_portal_have_enough_time_to_stop():
    said = in_compose()["services"]
    portals = [one for one in said.values() if one["image"] == "careers-portal"]
    assert len(portals) == 7
    assert all(int(one["stop_grace_period"].removesuffix("s")) >= STOP_TIMEOUT + 5 for one in portals)
    assert said["worker"]["deploy"]["replicas"] == 2


def test_mounted_files_exist():
    mounted = [one for said in in_compose()["services"].values() for one in said.get("volumes", [])]
    ours = [one.split(":")[0] for one in mounted if one.startswith("..")]
    assert len(ours) == 3
    assert all((COMPOSE / each).exists() for each in ours)


def test_the_nginx_of_compose_is_the_sample_with_two_servers(tmp_path: Path):
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


def test_generated_passwords_are_read_by_the_portal(tmp_path: Path):
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
def test_manifests_match_the_kubernetes_schema(path: Path, version: str):
    import kubernetes_validate  # imported here because it takes a second

    for one in documents(path):
        kubernetes_validate.validate(one, version, strict=True)


def test_an_invalid_manifest_is_detected():
    import kubernetes_validate

    one = documents(DEPLOY / "kubernetes" / "migrate.yaml")[0]
    one["spec"]["backofLimit"] = 3
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(one, VERSIONS[-1], strict=True)


@pytest.mark.parametrize(("name", "pod"), pods())
def test_pods_run_unprivileged_with_read_only_roots(name: str, pod: dict[str, Any]):
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert pod["automountServiceAccountToken"] is False
    (container,) = pod["containers"]
    confined = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
    assert container["securityContext"] == confined
    assert "env" not in container, "secrets must be references"
    volumes = {one["name"]: one for one in pod["volumes"]}
    assert volumes["settings"]["secret"]["secretName"] == f"{name.partition('-')[0]}-settings"
    assert {one["name"] for one in container["volumeMounts"]} == set(volumes)
    if name != "portal-migrate":
        assert pod["terminationGracePeriodSeconds"] >= STOP_TIMEOUT + 5


@pytest.mark.parametrize("file", ["portal.yaml", "tracker.yaml"])
def test_label_selectors_match_their_pods(file: str):
    ours = documents(DEPLOY / "kubernetes" / file)
    labels = [one["spec"]["template"]["metadata"]["labels"] for one in ours if one["kind"] == "Deployment"]
    for one in ours:
        selector = one["spec"].get("selector") or one["spec"].get("podSelector")
        wanted = selector.get("matchLabels", selector)
        assert any(wanted.items() <= each.items() for each in labels), one["metadata"]["name"]


def test_network_policies_allow_every_service_in_the_settings():
    """Ports follow from the URL schemes in its settings; S3, the scanner and the service use their default ports."""
    (policy,) = [one for one in documents(DEPLOY / "kubernetes" / "portal.yaml") if one["kind"] == "NetworkPolicy"]
    ports = {port["port"] for rule in policy["spec"]["egress"] for port in rule["ports"]}
    smtp, s3, redis = {25, 465, 587}, {443, 9000}, {6379, 6380}
    assert ports == {53, 5432, 3310, 8001} | smtp | s3 | redis


def test_every_deployment_has_a_liveness_probe():
    """The probe's port is one of the container's ports."""
    for name, pod in pods():
        (container,) = pod["containers"]
        probes = [container.get(f"{kind}Probe") for kind in ("startup", "liveness")]
        assert all(probes) is (name != "portal-migrate"), name
        named = {port["name"] for port in container.get("ports", [])}
        assert {one["httpGet"]["port"] for one in probes if one and "httpGet" in one} <= named


@pytest.fixture
def units(tmp_path: Path) -> Path:
    """Return copies of the units of deploy/ with an existing program, because systemd checks for it."""
    folder = tmp_path / "units"
    for path in (DEPLOY / "systemd").rglob("*.*"):
        if path.is_file():
            here = folder / path.relative_to(DEPLOY / "systemd")
            here.parent.mkdir(parents=True, exist_ok=True)
            here.write_text(path.read_text().replace("/opt/portal/bin/portal", str(BIN / "portal")))
    return folder


@pytest.mark.parametrize("unit", [*(f"{one}.service" for one in UNITS), "portal-backup.timer"])
def test_systemd_accepts_the_units(units: Path, unit: str):
    analyze = program("systemd-analyze", how="apt-get install systemd")
    done = told(analyze, "verify", unit, env={"SYSTEMD_UNIT_PATH": f"{units}:"})
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("unit", UNITS)
def test_units_have_an_exposure_level_of_two_at_most(units: Path, unit: str):
    analyze = program("systemd-analyze", how="apt-get install systemd")
    file = units / f"{unit.partition('@')[0]}{'@' * ('@' in unit)}.service"
    done = told(analyze, "security", "--offline=yes", "--no-pager", "--threshold=20", file)
    assert done.returncode == 0, done.stdout
    (units / "portal-.service.d" / "50-portal.conf").unlink()
    assert told(analyze, "security", "--offline=yes", "--no-pager", "--threshold=20", file).returncode == 1


def test_units_have_enough_time_to_stop():
    said = (DEPLOY / "systemd" / "portal-.service.d" / "50-portal.conf").read_text()
    assert f"TimeoutStopSec={STOP_TIMEOUT + 10}\n" in said
