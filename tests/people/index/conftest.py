"""An index on SQLite and on PostgreSQL."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from portal.platform.database.db import Database
    from tests.people.index.index_scene import IndexScene


@pytest.fixture
def scene(database: "Database", tmp_path: Path) -> "IndexScene":
    from tests.people.index.index_scene import IndexScene

    return IndexScene(database, tmp_path)
