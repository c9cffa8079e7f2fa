"""Wheel and source archive are complete and work outside of the repository."""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from urllib.parse import urljoin

import httpx
import pytest

from portal.operations.health.part import MANUAL
from portal.tenants.languages import COMPLETE
from tests.parts.demo import running_demo

pytestmark = [pytest.mark.xdist_group("wheel"), pytest.mark.verify]
ROOT = Path(__file__).parents[2]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

DIST = re.compile(r"careers_portal-\d+\.\d+\.\d+(-py3-none-any\.whl|\.tar\.gz)")


def build(source: Path, into: Path, *kinds: str) -> None:
    targets = [word for kind in kinds for word in ("-t", kind)]
    command = [sys.executable, "-m", "hatchling", "build", *targets, "-d", str(into)]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr


def only(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of `make wheel`."""
    folder = tmp_path_factory.mktemp("dist")
    build(ROOT, folder, "sdist", "wheel")
    assert all(DIST.fullmatch(path.name) for path in folder.iterdir())
    return folder


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    return only(dist, "*.whl")


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel and requirements/run.txt in a new environment; yield its folder of programs."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=120)
    install = [str(Path(sys.executable).parent / "uv"), "pip", "install", "--quiet", "--system-certs"]
    install += ["--python", str(folder / "bin" / "python")]
    for words in (["--require-hashes", "-r", str(ROOT / "requirements" / "run.txt")], ["--no-deps", str(wheel)]):
        done = subprocess.run([*install, *words], capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
    return folder / "bin"


def clean_environment() -> dict[str, str]:
    """Return environment variables without references to the repository."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("PORTAL_", "TRACKER_", "PYTHON", "VIRTUAL"))}


def test_the_wheel_contains_everything_that_pages_need(wheel: Path):
    names = zipfile.ZipFile(wheel).namelist()
    assert "portal/templates/layout.html" in names
    assert "portal/static/css/site.css" in names
    assert "portal/platform/database/migrations/versions/0001_initial.py" in names
    assert "portal/demo/data/acme.toml" in names
    assert "portal/deploy/systemd/portal-serve@.service" in names
    assert {f"portal/{file}" for file in MANUAL.values()} <= set(names)
    assert {f"portal/translations/{tag}/LC_MESSAGES/messages.mo" for tag in COMPLETE if tag != "en"} <= set(names)
    data = {"places.tsv.gz", "shown.tsv.gz", "regions.tsv.gz", "postcodes.tsv.gz"}
    assert {f"portal/jobs/places/{name}" for name in data} <= set(names)
    assert "portal/jobs/search/concepts.toml" in names
    assert any(name.startswith("portal/tracker/migrations/versions/") for name in names)
    assert not any(name.startswith(("tests/", "bench/", "instance/")) for name in names)


def test_the_wheel_contains_its_licence_and_names_third_party_data(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        (info,) = {name.split("/")[0] for name in archive.namelist() if ".dist-info/" in name}
        assert b"MIT License" in archive.read(f"{info}/licenses/LICENSE")
        assert b"GeoNames" in archive.read(f"{info}/licenses/NOTICE")
        assert b"License-Expression: MIT" in archive.read(f"{info}/METADATA")


def test_an_installed_wheel_prints_its_version(installed: Path, tmp_path: Path):
    said = subprocess.run(
        [str(installed / "portal"), "--version"],
        cwd=tmp_path,
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout == f"portal {VERSION}\n"
    where = [str(installed / "python"), "-c", "import portal; print(portal.__file__)"]
    found = subprocess.run(
        where, cwd=tmp_path, env=clean_environment(), capture_output=True, text=True, check=True
    ).stdout
    assert found.startswith(str(installed.parent))


def test_an_installed_wheel_runs_the_demo_from_an_empty_folder(installed: Path, tmp_path: Path):
    folder = tmp_path / "empty"
    folder.mkdir()
    with running_demo(
        folder / "data", portal=[str(installed / "portal")], cwd=folder, environ=clean_environment()
    ) as demo:
        page = httpx.get(f"{demo.portal}/acme/", trust_env=False, timeout=30)
        assert page.status_code == 200
        style = page.text.split('rel="stylesheet" href="')[1].split('"')[0]
        assert httpx.get(urljoin(demo.portal, style), trust_env=False, timeout=30).status_code == 200
        german = httpx.get(f"{demo.portal}/acme/?lang=de", trust_env=False, timeout=30, follow_redirects=True)
        assert german.status_code == 200
        everyone = demo.everyone()
    assert demo.process.returncode in {0, 130}
    assert not [one for one in everyone if one.is_running() and one.status() != "zombie"]
    assert [path.name for path in folder.iterdir() if path.name != "data.log"] == ["data"]


def test_a_wheel_built_from_the_source_archive_is_identical(dist: Path, wheel: Path, tmp_path: Path):
    with tarfile.open(only(dist, "*.tar.gz")) as archive:
        archive.extractall(tmp_path, filter="data")
    build(only(tmp_path, "careers_portal-*"), tmp_path / "again", "wheel")
    assert content(only(tmp_path / "again", "*.whl")) == content(wheel)


def test_builds_are_reproducible(wheel: Path, tmp_path: Path):
    build(ROOT, tmp_path, "wheel")
    assert only(tmp_path, "*.whl").read_bytes() == wheel.read_bytes()


def content(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_version_has_an_entry_in_the_changelog():
    headings = re.findall(r"(?m)^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    assert headings[0] == "[Unreleased]"
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", each) for each in headings[1:])
    released = [each.partition("]")[0][1:] for each in headings[1:]]
    assert not released or released[0] == VERSION, "pyproject.toml has another version than the newest release here"
    assert released == sorted(released, key=lambda each: [int(part) for part in each.split(".")], reverse=True)
