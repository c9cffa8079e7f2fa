"""What is installed is whole: a wheel holds templates, styles and migrations and serves from an empty folder."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from portal.tenants.languages import COMPLETE

ROOT = Path(__file__).parents[2]

SERVE = """
from flask_babel import force_locale, gettext
from portal.app import create_app
from portal.parts import Parts
from portal.clock import SystemClock
from portal.settings import Settings
import portal
settings = Settings(secret_key="a secret for tests, 32 characters")
parts = Parts.open(settings, clock=SystemClock())
parts.database.upgrade()
app = create_app(parts)
browser = app.test_client()
page = browser.get("/", base_url=settings.base_url)
assert page.status_code == 200, page.status
assert "stylesheet" in page.text
style = page.text.split('rel="stylesheet" href="')[1].split('"')[0]
path = style.removeprefix(settings.base_url)
assert browser.get(path, base_url=settings.base_url).status_code == 200, path
with app.test_request_context("/"), force_locale("de"):
    assert gettext("All open jobs") != "All open jobs"
print(portal.__file__)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    return next(folder.glob("*.whl"))


def test_a_wheel_holds_all_that_pages_need(wheel: Path):
    names = zipfile.ZipFile(wheel).namelist()
    assert "portal/templates/layout.html" in names
    assert "portal/static/css/site.css" in names
    assert "portal/migrations/versions/0001_initial.py" in names
    assert "portal/demo/data/acme.toml" in names
    assert {f"portal/translations/{tag}/LC_MESSAGES/messages.mo" for tag in COMPLETE if tag != "en"} <= set(names)
    data = {"places.tsv.gz", "shown.tsv.gz", "regions.tsv.gz", "postcodes.tsv.gz", "concepts.toml"}
    assert {f"portal/vacancies/{name}" for name in data} <= set(names)
    assert any(name.startswith("portal/tracker/migrations/versions/") for name in names)
    assert not any(name.startswith(("tests/", "bench/", "instance/")) for name in names)


def test_a_wheel_carries_its_licence_and_names_the_data_of_others(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        (info,) = {name.split("/")[0] for name in archive.namelist() if ".dist-info/" in name}
        assert b"MIT License" in archive.read(f"{info}/licenses/LICENSE")
        assert b"GeoNames" in archive.read(f"{info}/licenses/NOTICE")
        assert b"License-Expression: MIT" in archive.read(f"{info}/METADATA")


def test_it_serves_from_an_empty_folder(wheel: Path, tmp_path: Path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    (tmp_path / "empty").mkdir()
    program = f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r})\n{SERVE}"
    command = [sys.executable, "-P", "-c", program]
    done = subprocess.run(command, cwd=tmp_path / "empty", capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().startswith(str(tmp_path / "site"))
