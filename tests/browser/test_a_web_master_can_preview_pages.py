"""`portal tenants preview` takes screenshots of list, job and form from a tenant file, and changes nothing."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from PIL import Image

from portal.cli import portal
from portal.platform.errors import SettingsError
from tests.parts.chromium import executable

pytestmark = [pytest.mark.browser, pytest.mark.verify]
FILE = """name = "Acme"
[tracker]
base_url = "https://tracker.invalid"
api_key = "env:ACME_KEY"
[site]
accent = "#ff0000"
"""


def run(folder: Path, *words: str, **environment: str):
    tenants = folder / "tenants"
    tenants.mkdir(exist_ok=True)
    (tenants / "acme.toml").write_text(FILE)
    told = {
        "PORTAL_SECRET_KEY": "a secret for tests, 32 characters",
        "PORTAL_TENANTS": str(tenants),
        "PORTAL_DATABASE_URL": f"sqlite:///{folder / 'data' / 'portal.db'}",
        "ACME_KEY": "key",
        **environment,
    }
    return CliRunner().invoke(portal, ["tenants", "preview", *words], env=told)


def share(picture: Path, like) -> float:
    with Image.open(picture) as found:
        small = found.convert("RGB").resize((100, 100))
        return sum(count for count, colour in small.getcolors(10_000) if like(*colour)) / 10_000


def test_list_job_and_form_are_pictured_on_phone_and_desktop_in_light_and_dark(tmp_path: Path):
    executable()
    done = run(tmp_path, "acme", "--out", str(tmp_path / "out"))
    assert done.exit_code == 0, done.output
    assert "sample jobs" in done.output
    found = {path.stem: path for path in (tmp_path / "out").iterdir()}
    assert found.keys() == {
        f"{page}-{device}-{scheme}"
        for page in ("list", "job", "form")
        for device in ("phone", "desktop")
        for scheme in ("light", "dark")
    }
    for name, path in found.items():
        with Image.open(path) as picture:
            assert picture.size == (390 if "phone" in name else 1280, 1400)
        assert (share(path, lambda *rgb: min(rgb) > 200) > 0.5) is ("light" in name), name
        assert (share(path, lambda *rgb: max(rgb) < 80) > 0.5) is ("dark" in name), name
    assert share(found["list-desktop-light"], lambda red, green, blue: red > 200 and green < 60 and blue < 60) > 0.001
    assert {path.name for path in tmp_path.iterdir()} == {"tenants", "out"}


def test_without_a_browser_the_command_says_what_is_missing(tmp_path: Path):
    done = run(tmp_path, "acme", PATH=str(tmp_path))
    assert isinstance(done.exception, SettingsError)
    assert "Chromium" in str(done.exception)


def test_an_unknown_tenant_is_named(tmp_path: Path):
    done = run(tmp_path, "globex")
    assert isinstance(done.exception, SettingsError)
    assert "tenant globex: there is no such tenant file" in str(done.exception)
