"""No statement of an upgrade is cut off, however large its table is, and whatever the database's role is set to."""

from contextlib import closing
from pathlib import Path

import sqlalchemy as sa

from portal.platform.database.db import Database
from tests.parts.postgres import Postgres
from tests.platform.database.releases import release

FAILS_UNLESS_UNLIMITED = "SELECT 1 / (current_setting('statement_timeout') = '0')::int"


def test_an_upgrade_ignores_the_statement_timeout(postgres: Postgres, tmp_path: Path):
    folder = release(tmp_path / "r", "m1", m1=f'op.execute("{FAILS_UNLESS_UNLIMITED}")')
    with postgres.database() as url, closing(Database(url, migrations=folder)) as database:
        with database.write() as owner:
            owner.execute(sa.text(f"ALTER DATABASE {database.engine.url.database} SET statement_timeout = '1s'"))
        database.close()  # the next connection has the timeout
        database.upgrade()
        database.require_current_schema()
