"""While a new release comes up, the old one goes on beside it: migrations expand now and contract a release later.

So a schema that is newer than a release knows is fine for it, and one that is older is refused.
"""

import importlib
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from portal.app import create_app
from portal.cli import portal as command
from portal.clock import SystemClock
from portal.db import Database
from portal.errors import SchemaOutdated
from portal.parts import Parts
from portal.settings import Settings
from portal.tracker import database as tracker

ROOT = Path(__file__).parents[2]
OLD = """
revision = "{}"
down_revision = {}
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass
"""
COMMANDS = [
    ["worker"],
    ["serve"],
    ["sync"],
    ["submissions", "list"],
    ["requests", "list"],
    ["profile", "invite", "acme", "ada@people.example"],
]


def set_revision(url: str, *revisions: str) -> None:
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sa.text("DELETE FROM alembic_version"))
        for revision in revisions:
            connection.execute(sa.text("INSERT INTO alembic_version VALUES (:to)"), {"to": revision})
    engine.dispose()


def release(folder: Path, *revisions: str) -> Path:
    """A release whose migrations are these, one after the other."""
    versions = folder / "versions"
    versions.mkdir(parents=True)
    (folder / "env.py").write_text((ROOT / "portal/migrations/env.py").read_text())
    before = None
    for revision in revisions:
        (versions / f"{revision}.py").write_text(OLD.format(revision, repr(before)))
        before = revision
    return folder


@pytest.fixture
def environ(portal_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    (tmp_path / "tenants").mkdir()
    found = {
        "PORTAL_SECRET_KEY": "a secret for tests, 32 characters",
        "PORTAL_DATABASE_URL": portal_url,
        "PORTAL_TENANTS": str(tmp_path / "tenants"),
        "PORTAL_ATTACHMENTS": f"file:{tmp_path / 'attachments'}",
        "PORTAL_MAIL": f"file:{tmp_path / 'mail'}",
    }
    for name, value in found.items():
        monkeypatch.setenv(name, value)
    return found


def test_a_release_serves_on_what_a_newer_one_has_made(environ: dict[str, str], portal_url: str):
    set_revision(portal_url, "of a later release")
    parts = Parts.ready(Settings.from_env(), clock=SystemClock())
    assert create_app(parts).test_client().get("/healthz").status_code == 200
    parts.close()
    done = CliRunner().invoke(command, ["submissions", "list"])
    assert done.exit_code == 0, done.output


def test_an_upgrade_by_the_older_release_leaves_it_alone(environ: dict[str, str], portal_url: str):
    set_revision(portal_url, "of a later release")
    done = CliRunner().invoke(command, ["db", "upgrade"])
    assert done.exit_code == 0, done.output
    assert "newer" in done.output
    engine = sa.create_engine(portal_url)
    with engine.connect() as connection:
        assert connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar() == "of a later release"
    engine.dispose()


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_no_command_works_on_a_schema_that_is_not_there_yet(
    environ: dict[str, str], portal_url: str, arguments: list[str]
):
    set_revision(portal_url)
    done = CliRunner().invoke(command, arguments)
    assert isinstance(done.exception, SchemaOutdated)
    assert "portal db upgrade" in str(done.exception)


def test_a_wsgi_server_is_told_the_same_as_serve(
    environ: dict[str, str], portal_url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.delitem(sys.modules, "wsgi", raising=False)
    set_revision(portal_url)
    with pytest.raises(SchemaOutdated, match="portal db upgrade"):
        importlib.import_module("wsgi")


def test_older_and_newer_are_told_apart_by_what_the_release_knows(database_url: str, tmp_path: Path):
    releases = [release(tmp_path / str(n), *names) for n, names in enumerate([("a", "b"), ("a", "b", "c"), ("a",)])]
    present, newer, older = (Database(database_url, migrations=folder) for folder in releases)
    with pytest.raises(SchemaOutdated):
        present.require_current_schema()
    older.upgrade()
    with pytest.raises(SchemaOutdated):
        present.require_current_schema()
    present.upgrade()
    present.require_current_schema()
    older.require_current_schema()
    newer.upgrade()
    for opened in (present, newer, older):
        opened.upgrade()
        opened.require_current_schema()
        opened.close()


def test_the_service_opens_what_a_newer_one_has_made(database_url: str):
    tracker.open_database(database_url).close()
    set_revision(database_url, "of a later release")
    opened = tracker.open_database(database_url)
    opened.require_current_schema()
    opened.close()
