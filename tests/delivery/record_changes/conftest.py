"""A scene on SQLite and on PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.delivery.record_changes.change_scene import ChangeScene


@pytest.fixture
def scene(portal_url: str, tmp_path: Path) -> "Iterator[ChangeScene]":
    from tests.delivery.record_changes.change_scene import open_scene

    opened = open_scene(portal_url, tmp_path)
    yield opened
    opened.portal.parts.database.close()
