"""Sign-in on SQLite and on PostgreSQL."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from portal.platform.database.db import Database
    from tests.people.signin.signin_scene import SignInScene


@pytest.fixture
def scene(database: "Database") -> "SignInScene":
    from tests.people.signin.signin_scene import SignInScene

    return SignInScene(database)
