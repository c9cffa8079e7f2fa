"""A WSGI server that loads wsgi.py on a schema that is too old ends with one line that names the command to run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

from portal.platform.database.db import Database
from tests.builders import SECRET
from tests.schemas import PORTAL

ROOT = Path(__file__).parents[3]


@pytest.fixture
def outdated(request: pytest.FixtureRequest, database_url: str) -> str:
    database = Database(database_url, migrations=PORTAL)
    with database.write() as connection:
        if request.param == "older":
            connection.execute(sa.text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
            oldest = database._schema.oldest
            connection.execute(sa.text("INSERT INTO alembic_version VALUES (:it)"), {"it": oldest})
    database.close()
    return database_url


@pytest.mark.parametrize(
    ("database_kind", "outdated"), [("sqlite", "older"), ("postgresql", "without a schema")], indirect=True
)
def test_one_line_names_the_command_to_run(outdated: str, tmp_path: Path):
    (tmp_path / "tenants").mkdir()
    own = {"PORTAL_HOME": str(tmp_path), "PORTAL_SECRET_KEY": SECRET, "PORTAL_DATABASE_URL": outdated}
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PORTAL_")}
    done = subprocess.run(
        [sys.executable, "-c", "import wsgi"],
        cwd=ROOT,
        env={**inherited, **own},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 3, done.stderr  # the exit status that keeps gunicorn from starting another worker
    (line,) = done.stderr.splitlines()
    said = json.loads(line)
    assert (said["event"], said["part"]) == ("failed", "serve")
    assert said["message"].endswith("run `portal db upgrade`")
    assert str(tmp_path) not in line
    assert ".py" not in line
