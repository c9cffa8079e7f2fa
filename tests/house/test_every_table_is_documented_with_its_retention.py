"""docs/data.md names every table of both databases, with its personal data, purpose and retention, and no other."""

import re
from pathlib import Path

import pytest
import sqlalchemy as sa

import portal.platform.database.migrations
import portal.tracker.tables
from portal.platform.database.db import Database

MANUAL = (Path(__file__).parents[2] / "docs" / "data.md").read_text(encoding="utf-8")
OURS = {"alembic_version", "schema_suits"}
"""The schema's own."""
DATABASES = {
    "The portal's database": Path(portal.platform.database.migrations.__path__[0]),
    "The service's database": portal.tracker.tables.MIGRATIONS,
}


@pytest.mark.parametrize("name", DATABASES)
def test_every_table_is_in_the_data_document(name: str, tmp_path: Path):
    part = MANUAL.split(f"## {name}\n")[1].split("\n## ")[0]
    lines = re.findall(r"(?m)^\| `(\w+)` \| (.+?) \| (.+?) \| (.+?) \|$", part)
    database = Database(f"sqlite:///{tmp_path / 'all.db'}", migrations=DATABASES[name])
    database.upgrade()
    with database.read() as connection:
        plain = sa.text(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%'"
        )
        tables = set(connection.execute(plain).scalars()) - OURS
    database.close()
    assert sorted(line[0] for line in lines) == sorted(tables)
