"""A scene without pages on each database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.delivery.envelopes.desk import Desk, open_desk


@pytest.fixture
def desk(portal_url: str, tmp_path: Path) -> Iterator[Desk]:
    opened = open_desk(portal_url, tmp_path)
    yield opened
    opened.db.close()
