"""A migration only adds, or names the oldest release that can work without what it removes."""

import ast
from pathlib import Path

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory

import portal.platform.database.migrations
from portal.platform.database.schema import Schema
from portal.tracker.tables import MIGRATIONS as TRACKER

PORTAL = Path(portal.platform.database.migrations.__path__[0])
SCRIPTS = sorted(path for folder in (PORTAL, TRACKER) for path in (folder / "versions").glob("0*.py"))
TAKES_AWAY = {"drop_table", "drop_column", "alter_column", "rename_table", "drop_constraint", "batch_alter_table"}
IN_SQL = ("DROP ", "RENAME ", "ALTER ")


def removes_something(text: str) -> bool:
    upgrade = next(one for one in ast.parse(text).body if isinstance(one, ast.FunctionDef) and one.name == "upgrade")
    called = {one.attr for one in ast.walk(upgrade) if isinstance(one, ast.Attribute)}
    said = [one.value for one in ast.walk(upgrade) if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    in_sql = any(word in line.upper() for line in said[1:] for word in IN_SQL)
    return bool(called & TAKES_AWAY) or in_sql


def says(text: str) -> str | None:
    for one in ast.parse(text).body:
        if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name) and one.targets[0].id == "runs_from":
            return str(ast.literal_eval(one.value))
    return None


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: f"{path.parts[-4]}-{path.stem}")
def test_a_migration_only_adds_or_names_the_oldest_compatible_release(script: Path):
    text, known = script.read_text(), {path.name.partition("_")[0] for path in script.parent.glob("0*.py")}
    assert says(text) in known | {None}
    assert says(text) or not removes_something(text)


def test_a_migration_that_removes_something_is_detected():
    assert removes_something('def upgrade():\n    """."""\n    op.drop_column("a", "b")\n')
    assert removes_something('def upgrade():\n    """."""\n    op.execute("ALTER TABLE a RENAME b TO c")\n')
    assert not removes_something('def upgrade():\n    """Drop nothing."""\n    op.add_column("a", sa.Column("b"))\n')


@pytest.mark.parametrize("folder", [PORTAL, TRACKER], ids=["portal", "tracker"])
def test_files_are_named_and_sorted_as_alembic_orders_their_revisions(folder: Path):
    config = Config()
    config.set_main_option("script_location", str(folder))
    newest_first = [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()]
    assert Schema(folder)._known == newest_first[::-1]
