"""A desk on SQLite and on PostgreSQL."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from portal.db import Database
    from tests.signin.desk import Desk


@pytest.fixture
def desk(database: "Database") -> "Desk":
    from tests.signin.desk import Desk

    return Desk(database)
