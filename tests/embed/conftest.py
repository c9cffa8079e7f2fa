from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.apply.conftest import LIMIT, vacancy
from tests.browse.jobs import Careers, careers
from tests.builders import portal
from tests.embed.intake import FILE, FrontEnd


@pytest.fixture
def acme(tmp_path: Path) -> Careers:
    return careers(tmp_path)


@pytest.fixture
def front_end(tmp_path: Path) -> Iterator[FrontEnd]:
    """Acme's own, before a portal."""
    yield from _front_end(tmp_path)


@pytest.fixture
def front_end_on_each(tmp_path: Path, portal_url: str) -> Iterator[FrontEnd]:
    """The same on each database."""
    yield from _front_end(tmp_path, portal_url)


def _front_end(tmp_path: Path, portal_url: str | None = None) -> Iterator[FrontEnd]:
    made = portal(tmp_path / "portal", max_cv_bytes=LIMIT, database_url=portal_url)
    made.add_tenant("acme", "Acme", FILE)
    made.service.load("acme", [vacancy("job-1", "Welder"), vacancy("job-2", "Welder of bridges")])
    made.work.mirror_what_is_due()
    yield FrontEnd(made)
    made.parts.database.close()
