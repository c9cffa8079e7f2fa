import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.site.browse.jobs import Careers
from tests.site.feeds.company import Company, company
from tests.site.feeds.scene import found_site


@pytest.fixture
def acme(tmp_path: Path, portal_url: str) -> Iterator[Company]:
    """On SQLite and on PostgreSQL."""
    made = company(tmp_path, database_url=portal_url)
    yield made
    made.portal.parts.close()
    shutil.rmtree(made.folder, ignore_errors=True)


@pytest.fixture
def sqlite_acme(tmp_path: Path) -> Iterator[Company]:
    """On SQLite only: for tests that do not depend on the database."""
    made = company(tmp_path)
    yield made
    made.portal.parts.close()


@pytest.fixture
def careers(tmp_path: Path) -> Careers:
    """Acme's site as search engines see it: on the portal's own host, in English and German."""
    return found_site(tmp_path)
