"""A scene on SQLite and on PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.delivery.record_changes.desk import Desk


@pytest.fixture
def desk(portal_url: str, tmp_path: Path) -> "Iterator[Desk]":
    from tests.delivery.record_changes.desk import open_desk

    opened = open_desk(portal_url, tmp_path)
    yield opened
    opened.portal.parts.database.close()
