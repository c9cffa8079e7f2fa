"""A desk on SQLite and on PostgreSQL."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from portal.db import Database
    from tests.candidates.desk import Desk


@pytest.fixture
def desk(database: "Database", tmp_path: Path) -> "Desk":
    from tests.candidates.desk import Desk

    return Desk(database, tmp_path)
