"""The reason why a tenant file cannot be read is one sentence with its name, equal in log, /readyz and console."""

import logging
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from portal.operations.console import status as console_status
from portal.operations.health import portal_health
from portal.operations.health.part import PartName
from portal.platform.clock import SystemClock
from portal.tenants.folder import Tenants
from tests import builders

RIGHT = b'name = "Acme"\n[tracker]\nbase_url = "https://tracker.example"\napi_key = "env:KEY"\n'


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the user nobody can access, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o755)
        yield Path(made)


def problem(folder: Path, stem: str = "acme") -> str | None:
    known = Tenants(folder, read_secret=lambda _: "k", clock=SystemClock())
    return known.problems().get(stem)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "acme.toml: the file is empty: expected at least name, and base_url and api_key in [tracker]"),
        (
            b"\xef\xbb\xbf \n",
            "acme.toml: the file is empty: expected at least name, and base_url and api_key in [tracker]",
        ),
        (RIGHT + b'[site]\nabout = "M\xfcller"\n', "acme.toml: line 6: not UTF-8 text: save the file as UTF-8"),
        ("".join(map(chr, RIGHT)).encode("utf-16"), "acme.toml: line 1: not UTF-8 text: save the file as UTF-8"),
        (b"\xef\xbb\xbf" + RIGHT, None),
        (RIGHT.replace(b"\n", b"\r\n"), None),
    ],
    ids=["empty", "a mark alone", "Latin-1", "UTF-16", "UTF-8 with a mark", "Windows' lines"],
)
def test_a_file_that_is_not_text_is_explained(folder: Path, content: bytes, says: str | None):
    (folder / "acme.toml").write_bytes(content)
    assert problem(folder) == says


def test_a_folder_with_that_name_is_explained(folder: Path):
    (folder / "dir.toml").mkdir()
    assert problem(folder, "dir") == (
        "dir.toml: this is a folder: expected a file; give the folder a name without .toml"
    )


def test_a_broken_or_cyclic_link_is_explained(folder: Path):
    (folder / "acme.toml").symlink_to(folder / "gone")
    assert problem(folder) == "acme.toml: it points to a file that does not exist: fix the link, or remove it"
    (folder / "acme.toml").unlink()
    (folder / "acme.toml").symlink_to(folder / "acme.toml")
    assert str(problem(folder)).startswith("acme.toml: it cannot be read (")


@pytest.mark.skipif(os.geteuid() != 0, reason="who is not root cannot become somebody who may not read it")
def test_missing_read_permission_is_explained(folder: Path):
    (folder / "acme.toml").write_bytes(RIGHT)
    (folder / "acme.toml").chmod(0o600)
    os.seteuid(65_534)
    try:
        said = problem(folder)
    finally:
        os.seteuid(0)
    assert said == "acme.toml: the portal has no permission to read it: make the portal's user its owner"


def test_a_duplicate_host_is_named_with_its_line_and_remedy(folder: Path):
    hosts = b'[site]\nhosts = ["jobs.example"]\n'
    (folder / "a.toml").write_bytes(RIGHT + hosts)
    (folder / "b.toml").write_bytes(RIGHT + b"# two\n" + hosts)
    assert problem(folder, "b") == (
        "b.toml: line 7: site.hosts: jobs.example is named by a.toml too, and stays a's: take it out of one of them"
    )


def test_log_console_and_readyz_have_the_same_message(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    here = builders.portal(tmp_path / "portal")
    file = here.parts.settings.tenants / "globex.toml"
    file.parent.mkdir(exist_ok=True)
    (file.parent / "acme.toml").write_text(RIGHT.decode().replace("env:KEY", f"file:{tmp_path / 'key'}"))
    (tmp_path / "key").write_text("a-key-of-the-service")
    file.write_text("name = 3\n")
    with caplog.at_level(logging.ERROR):
        said = here.parts.tenants.problems()["globex"]
    assert said == "globex.toml: line 1: name: expected text in quotes; line 1: tracker: [tracker] is missing"
    assert f"tenant file {said}" in caplog.text
    assert portal_health.probe_tenants(here.parts.tenants)[PartName.TENANTS].says == said
    (globex,) = [one for one in console_status.without_database(here.parts.tenants) if one.slug == "globex"]
    assert globex.troubles[0].says == f"Tenant file {said}"
    here.parts.close()
