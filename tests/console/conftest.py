"""A desk on SQLite and on PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.console.desk import Desk, open_desk
from tests.delivery.scene import scene


@pytest.fixture
def desk(portal_url: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Desk]:
    """Settings by `@pytest.mark.parametrize("desk", [{…}], indirect=True)`."""
    with scene(tmp_path / "scene", portal_url) as made:
        yield open_desk(made, **getattr(request, "param", {}))
