"""Sign-in on SQLite and on PostgreSQL."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from portal.platform.database.db import Database
    from tests.people.signin.desk import Desk


@pytest.fixture
def desk(database: "Database") -> "Desk":
    from tests.people.signin.desk import Desk

    return Desk(database)
