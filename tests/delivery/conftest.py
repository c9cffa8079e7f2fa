"""A scene on each database."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from portal.cli import portal
from tests.delivery.scene import Scene, scene


@pytest.fixture
def here(portal_url: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Scene]:
    """A scene; settings by `@pytest.mark.parametrize("here", [{…}], indirect=True)`."""
    with scene(tmp_path / "scene", portal_url, **getattr(request, "param", {})) as made:
        yield made


@pytest.fixture
def command(here: Scene) -> Callable[..., Result]:
    """`portal submissions`, with the settings of the scene."""
    settings = here.parts.settings
    environment = {
        "PORTAL_SECRET_KEY": settings.secret_key,
        "PORTAL_DATABASE_URL": settings.database_url,
        "PORTAL_TENANTS": str(settings.tenants),
        "PORTAL_ATTACHMENTS": settings.attachments,
    }

    def run(*words: str) -> Result:
        return CliRunner().invoke(portal, ["submissions", *words], env=environment)

    return run
