"""A scene on each database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.delivery.scene import Scene, scene


@pytest.fixture
def here(portal_url: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Scene]:
    """Settings by `@pytest.mark.parametrize("here", [{…}], indirect=True)`."""
    with scene(tmp_path / "scene", portal_url, **getattr(request, "param", {})) as made:
        yield made
