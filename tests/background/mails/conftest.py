"""A scene for mails on each database."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.delivery.envelopes.desk import Desk


@pytest.fixture
def desk(portal_url: str, tmp_path: Path) -> "Iterator[Desk]":
    from tests.delivery.envelopes.desk import open_desk

    opened = open_desk(portal_url, tmp_path)
    yield opened
    opened.db.close()
