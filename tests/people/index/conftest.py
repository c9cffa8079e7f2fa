"""An index on SQLite and on PostgreSQL."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from portal.platform.database.db import Database
    from tests.people.index.desk import Desk


@pytest.fixture
def desk(database: "Database", tmp_path: Path) -> "Desk":
    from tests.people.index.desk import Desk

    return Desk(database, tmp_path)
