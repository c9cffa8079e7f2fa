"""A console on SQLite and on PostgreSQL, and one without companies for tests without stored data."""

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from portal.app import create_console
from tests import builders
from tests.delivery.scene import scene
from tests.operations.console.operator_console import HERE, OperatorConsole, open_console

Visit = Callable[..., httpx.Response]


@pytest.fixture
def console(portal_url: str, tmp_path: Path) -> Iterator[OperatorConsole]:
    with scene(tmp_path / "scene", portal_url) as made:
        yield open_console(made)


@pytest.fixture
def visit(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """A function for one unauthenticated GET; settings by `@pytest.mark.parametrize("visit", [{…}], indirect=True)`."""
    made = builders.portal(tmp_path / "portal", **getattr(request, "param", {}))
    app = create_console(made.parts)

    def get(address: str = "/", *, at: str = HERE, peer: str = "127.0.0.1", **headers: str) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        transport = httpx.WSGITransport(app=app, remote_addr=peer)
        with httpx.Client(transport=transport, base_url=at, headers=named) as client:
            return client.get(address)

    yield get
    made.parts.close()
