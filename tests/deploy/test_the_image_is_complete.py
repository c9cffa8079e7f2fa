"""The Containerfile's steps, executed in an empty folder, build a complete, working portal."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.builders import SECRET
from tests.parts.containerfile import Step, built, stages
from tests.parts.process import free_port, running
from tests.platform.tracing.collector import collecting

pytestmark = [pytest.mark.xdist_group("image"), pytest.mark.verify]
ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
TEXT = (DEPLOY / "Containerfile").read_text()
# Unlike a container, a developer's machine has cached packages and needs no bytecode.
HERE = {
    " --no-cache ": " ",
    " --no-cache-dir ": " ",
    " --compile-bytecode ": " ",
    "python -m venv": f"{sys.executable} -m venv",
}


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("image")
    built(stages(TEXT)["build"], ROOT, root, HERE)
    return root


def final(name: str) -> list[Step]:
    return [step for step in stages(TEXT)[""] if step.name == name]


def ran(image: Path, *words: str, **settings: str) -> list[str]:
    """Run a command like the container: by its entrypoint, with the image's programs first in PATH."""
    (entry,) = json.loads(final("ENTRYPOINT")[0].words)
    assert any(step.words == f"deploy/container/{entry} /usr/local/bin/{entry}" for step in final("COPY"))
    return [str(DEPLOY / "container" / entry), *words]


def environment(image: Path, home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PORTAL_", "PYTHON", "VIRTUAL"))}
    settings = home / "settings.env"
    settings.write_text(
        f'PORTAL_SECRET_KEY="{SECRET}"\nPORTAL_DATABASE_URL=sqlite:///{home}/portal.db\n'
        f"PORTAL_TENANTS={home}\nPORTAL_ATTACHMENTS=file:{home}/attachments\nPORTAL_MAIL=file:{home}/mail\n"
    )
    return {**kept, "PATH": f"{image}/opt/portal/bin:{kept['PATH']}", "PORTAL_SETTINGS": str(settings)}


def test_the_image_serves_with_settings_from_a_file_and_is_healthy(image: Path, tmp_path: Path):
    told, port = environment(image, tmp_path), free_port()
    upgraded = subprocess.run(ran(image, "db", "upgrade"), env=told, cwd=tmp_path, capture_output=True, check=False)
    assert upgraded.returncode == 0, upgraded.stderr
    words = json.loads(final("CMD")[0].words)
    assert words[0] == "serve"
    check = json.loads(re.sub(r"^.*?CMD ", "", final("HEALTHCHECK")[0].words))
    check = [word.replace(":8000/", f":{port}/") for word in check]

    def healthy() -> bool:
        return (
            subprocess.run(check, env=told, cwd=tmp_path, capture_output=True, timeout=30, check=False).returncode == 0
        )

    assert not healthy()
    command = ran(image, "serve", "--port", str(port))
    with running(command, log=tmp_path / "log", ready=healthy, env=told, cwd=tmp_path):
        page = httpx.get(f"http://127.0.0.1:{port}/", trust_env=False, timeout=20)
        assert page.status_code == 200
        style = re.findall(r'rel="stylesheet" href="([^"]+)"', page.text)[0]
        path = "/" + style.partition("://")[2].partition("/")[2] if "://" in style else style
        assert httpx.get(f"http://127.0.0.1:{port}{path}", trust_env=False, timeout=20).status_code == 200


def test_the_image_sends_traces_if_a_collector_is_configured(image: Path, tmp_path: Path):
    """Programs started by `with-settings` send traces, and the collector receives a request."""
    told, port = environment(image, tmp_path), free_port()
    with collecting() as collector:
        with Path(told["PORTAL_SETTINGS"]).open("a") as settings:
            settings.write(f"OTEL_EXPORTER_OTLP_ENDPOINT={collector.address}\n")
        subprocess.run(ran(image, "db", "upgrade"), env=told, cwd=tmp_path, capture_output=True, check=True)

        def asked() -> bool:
            try:
                return httpx.get(f"http://127.0.0.1:{port}/", trust_env=False, timeout=20).status_code == 200
            except httpx.TransportError:
                return False

        with running(
            ran(image, "serve", "--port", str(port)), log=tmp_path / "log", ready=asked, env=told, cwd=tmp_path
        ):
            pass
        assert "requirements/tracing.txt" not in (tmp_path / "log").read_text()
        assert "GET /" in {span.name for span in collector.spans}


def test_the_image_contains_units_and_samples(image: Path):
    (package,) = (image / "opt" / "portal").glob("lib/python3*/site-packages/portal")
    assert (package / "deploy" / "systemd" / "portal-worker@.service").is_file()
    assert (package / "translations" / "de" / "LC_MESSAGES" / "messages.mo").is_file()


def test_the_image_runs_unprivileged_and_installs_only_hashed_packages():
    (user,) = final("USER")
    assert user.words == "10001:10001"
    assert stages(TEXT)[""].index(user) > max(stages(TEXT)[""].index(step) for step in final("RUN"))
    everything = [step for steps in stages(TEXT).values() for step in steps]
    assert not [step for step in everything if step.name == "ADD"]
    installs = [step for step in everything if "pip install" in step.words]
    for one in installs:
        for command in one.words.split("&&"):
            if "pip install" in command:
                assert "--require-hashes" in command or "--no-deps" in command, command


def test_the_final_image_contains_only_the_built_files():
    sources = [step.words.split() for step in final("COPY")]
    assert ["--from=build", "/opt/portal", "/opt/portal"] in sources
    assert all(len(one) == 2 and (ROOT / one[0]).is_file() for one in sources if one[0] != "--from=build")


def test_a_file_missing_in_the_build_context_is_detected(tmp_path: Path):
    """The build sees only what the Containerfile copies, and none of it is ignored."""
    ignored = (DEPLOY / "Containerfile.dockerignore").read_text().splitlines()
    seen = {line[1:] for line in ignored if line.startswith("!")}
    copied = {word for step in stages(TEXT)["build"] if step.name == "COPY" for word in step.words.split()[:-1]}
    unseen = {word for word in copied if not any(one == word or one.startswith(f"{word}/") for one in seen)}
    assert not unseen  # parts of a folder are enough: pictures and decisions are not part of the manual
    assert "*" in ignored
