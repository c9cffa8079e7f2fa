"""`portal db upgrade` prints the versions before and after, or that there was nothing to do."""

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from click.testing import CliRunner

from portal.cli import portal
from portal.platform.database.db import Database
from tests.schemas import PORTAL


def output_of(url: str, folder: Path) -> str:
    told = {"PORTAL_DATABASE_URL": url, "PORTAL_SECRET_KEY": "a secret for tests, 32 characters"}
    done = CliRunner().invoke(portal, ["db", "upgrade"], env={**told, "PORTAL_HOME": str(folder)})
    assert done.exit_code == 0, done.output
    return done.stdout.strip()


def revisions() -> tuple[str, str]:
    """Return the current revision and the previous one."""
    config = Config()
    config.set_main_option("script_location", str(PORTAL))
    newest, before, *_ = ScriptDirectory.from_config(config).walk_revisions()
    return newest.revision, before.revision


def test_an_upgrade_of_an_empty_database_and_a_second_one(database_url: str, tmp_path: Path):
    newest, _ = revisions()
    assert output_of(database_url, tmp_path) == f"Created the schema ({newest})."
    assert output_of(database_url, tmp_path) == f"Nothing to do: the schema is {newest}, as this release needs it."


def test_an_upgrade_from_the_previous_release(database_url: str, tmp_path: Path):
    newest, before = revisions()
    database = Database(database_url, migrations=PORTAL)
    config = Config()
    config.set_main_option("script_location", str(PORTAL))
    with database.write() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, before)
    database.close()
    assert output_of(database_url, tmp_path) == f"Upgraded the schema from {before} to {newest}."
    with database.read() as connection:
        assert connection.scalar(sa.text("SELECT version_num FROM alembic_version")) == newest
    database.close()
