"""During a rollout, the old and new release run side by side: migrations expand now and contract a release later.

So a release accepts a newer schema that is marked as compatible, and rejects one that is older, too new or broken,
with the same message everywhere.
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from portal.app import create_app
from portal.cli import portal as command
from portal.platform.clock import SystemClock
from portal.platform.config.settings import Settings
from portal.platform.database.db import Database
from portal.platform.errors import SchemaError, SchemaOutdated
from portal.services import Services
from portal.tracker import tables
from tests.platform.database.releases import release
from tests.schemas import PORTAL

ROOT = Path(__file__).parents[3]
COMMANDS = [
    ["worker"],
    ["serve"],
    ["sync"],
    ["submissions", "list"],
    ["requests", "list"],
    ["profile", "invite", "acme", "ada@people.example"],
]


NEWER = "later"
"""The revision of a release that this one does not know."""


def execute(url: str, statement: str) -> None:
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql(statement)
    engine.dispose()


def set_revision(url: str, *revisions: str) -> None:
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sa.text("DELETE FROM alembic_version"))
        for revision in revisions:
            connection.execute(sa.text("INSERT INTO alembic_version VALUES (:to)"), {"to": revision})
    engine.dispose()


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


def test_a_release_works_on_the_schema_of_a_newer_compatible_release(environ: dict[str, str], portal_url: str):
    set_revision(portal_url, "of a later release")
    parts = Services.open_checked(Settings.from_env(), clock=SystemClock())
    assert create_app(parts).test_client().get("/healthz").status_code == 200
    parts.close()
    done = CliRunner().invoke(command, ["submissions", "list"])
    assert done.exit_code == 0, done.output


def test_an_upgrade_by_an_older_release_changes_nothing(environ: dict[str, str], portal_url: str):
    set_revision(portal_url, "of a later release")
    done = CliRunner().invoke(command, ["db", "upgrade"])
    assert done.exit_code == 0, done.output
    assert "newer" in done.output
    engine = sa.create_engine(portal_url)
    with engine.connect() as connection:
        assert connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar() == "of a later release"
    engine.dispose()


def too_new(url: str, tmp_path: Path) -> str:
    """The message about a schema that needs a later release than this one."""
    later = Database(url, migrations=release(tmp_path / "later", "between", NEWER, runs_from="between", on=PORTAL))
    later.upgrade()
    later.close()
    return "made by a newer release (later and needs one from between on; this one is"


def broken_by_a_lost_table(url: str, _: Path) -> str:
    execute(url, "DROP TABLE push_looks")
    return "tables of it are gone (push_looks)"


def broken_by_no_version(url: str, _: Path) -> str:
    execute(url, "DELETE FROM alembic_version")
    return "nothing says which version they are"


def broken_by_no_table_of_versions(url: str, _: Path) -> str:
    execute(url, "DROP TABLE alembic_version")
    return "nothing says which version they are"


def broken_by_two_versions(url: str, _: Path) -> str:
    set_revision(url, "0011", "0012")
    return "several versions (0011, 0012)"


def newer_of_unknown_kind(url: str, _: Path) -> str:
    execute(url, "DROP TABLE schema_suits")
    set_revision(url, NEWER)
    return "does not say what can work on it"


UNFIT = [
    too_new,
    broken_by_a_lost_table,
    broken_by_no_version,
    broken_by_no_table_of_versions,
    broken_by_two_versions,
    newer_of_unknown_kind,
]


@pytest.mark.parametrize("unfit", UNFIT, ids=lambda one: one.__name__)
def test_an_incompatible_schema_is_reported_with_the_same_message_everywhere(
    environ: dict[str, str],
    portal_url: str,
    tmp_path: Path,
    unfit: Callable[[str, Path], str],
    caplog: pytest.LogCaptureFixture,
):
    parts = Services.open_checked(Settings.from_env(), clock=SystemClock())
    client = create_app(parts).test_client()
    words = unfit(portal_url, tmp_path)
    done = CliRunner().invoke(command, ["db", "upgrade"])
    assert isinstance(done.exception, SchemaError)  # one line and exit status 1, by cli.main
    said = str(done.exception)
    assert words in said
    assert "restore" in said
    for runs_for_long in ("serve", "worker"):
        caplog.clear()
        assert CliRunner().invoke(command, [runs_for_long]).exit_code == 1
        assert f"failed part={runs_for_long} " in caplog.text
        assert said in caplog.text
    assert said in CliRunner().invoke(command, ["check"]).output
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json["missing"]["database"]) == (503, said)
    parts.close()


def test_the_command_line_reports_an_incompatible_schema_in_one_line(
    environ: dict[str, str], portal_url: str, tmp_path: Path
):
    words = too_new(portal_url, tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "portal.cli", "db", "upgrade"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("portal: ")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_older_release_stays_ready_on_a_newer_compatible_schema(
    environ: dict[str, str], portal_url: str, tmp_path: Path
):
    parts = Services.open_checked(Settings.from_env(), clock=SystemClock())
    client = create_app(parts).test_client()
    does = {NEWER: 'op.add_column("outbox", sa.Column("later", sa.Text))'}
    later = Database(portal_url, migrations=release(tmp_path / "later", NEWER, on=PORTAL, **does))
    later.upgrade()
    later.close()
    assert "database" not in client.get("/readyz").json["missing"]
    parts.close()
    done = CliRunner().invoke(command, ["db", "upgrade"])
    assert done.exit_code == 0, done.output
    assert "newer (later) than this release needs (00" in done.output
    assert "nothing to do" in done.output


def test_tables_of_other_programs_are_ignored(portal_url: str, tmp_path: Path):
    execute(portal_url, "CREATE TABLE theirs (id INTEGER)")
    later = Database(portal_url, migrations=release(tmp_path / "later", NEWER, on=PORTAL))
    later.upgrade()
    execute(portal_url, "DROP TABLE theirs")
    later.require_current_schema()
    later.close()


def test_a_schema_of_a_release_without_compatibility_marks_is_upgraded(portal_url: str, tmp_path: Path):
    execute(portal_url, "DROP TABLE schema_suits")
    present = Database(portal_url, migrations=PORTAL)
    present.require_current_schema()
    present.upgrade()
    set_revision(portal_url, NEWER)
    present.require_current_schema()
    present.close()


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_commands_reject_a_database_without_schema(
    environ: dict[str, str],
    database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    arguments: list[str],
):
    monkeypatch.setenv("PORTAL_DATABASE_URL", database_url)
    done = CliRunner().invoke(command, arguments)
    assert done.exit_code == 1
    # Short commands print it; long-running ones log it.
    said = str(done.exception) if isinstance(done.exception, SchemaOutdated) else caplog.text
    assert "portal db upgrade" in said


def test_schemas_unknown_to_a_release_count_as_newer(database_url: str, tmp_path: Path):
    releases = [release(tmp_path / names, *names) for names in ("ab", "abc", "a")]
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
    takes_away = Database(database_url, migrations=release(tmp_path / "takes", "a", "b", "c", "d", "e", runs_from="b"))
    takes_away.upgrade()
    for opened in (present, newer):
        opened.upgrade()
        opened.require_current_schema()
    with pytest.raises(SchemaError, match="needs one from b on; this one is a"):
        older.require_current_schema()
    for opened in (present, newer, older, takes_away):
        opened.close()


def test_the_tracking_service_works_on_a_newer_compatible_schema(database_url: str):
    tables.open_database(database_url).close()
    set_revision(database_url, "of a later release")
    opened = tables.open_database(database_url)
    opened.require_current_schema()
    opened.close()
