"""A scene on each database."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from portal.cli import portal
from tests.delivery.scene import Scene
from tests.delivery.scene import scene as open_scene


@pytest.fixture
def scene(portal_url: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Scene]:
    """A scene; settings by `@pytest.mark.parametrize("scene", [{…}], indirect=True)`."""
    with open_scene(tmp_path / "scene", portal_url, **getattr(request, "param", {})) as made:
        yield made


@pytest.fixture
def command(scene: Scene) -> Callable[..., Result]:
    """`portal submissions`, with the settings of the scene."""
    settings = scene.parts.settings
    environment = {
        "PORTAL_SECRET_KEY": settings.secret_key,
        "PORTAL_DATABASE_URL": settings.database_url,
        "PORTAL_TENANTS": str(settings.tenants),
        "PORTAL_ATTACHMENTS": settings.attachments,
    }

    def run(*words: str) -> Result:
        return CliRunner().invoke(portal, ["submissions", *words], env=environment)

    return run
