from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.jobs.pushes.engines import KEY, Listening, Telling, account_file, listening
from tests.jobs.pushes.webhook import Told, told_site
from tests.site.feeds.scene import found_site


@pytest.fixture
def heard() -> Iterator[Listening]:
    with listening() as engines:
        yield engines


@pytest.fixture
def told(tmp_path: Path, heard: Listening, portal_url: str) -> Iterator[Told]:
    """Acme's own website is told; on SQLite and on PostgreSQL."""
    made = told_site(tmp_path, heard, portal_url)
    yield made
    made.acme.portal.parts.close()


@pytest.fixture
def telling(tmp_path: Path, heard: Listening, portal_url: str) -> Iterator[Telling]:
    """Acme tells both; on SQLite and on PostgreSQL."""
    push = f'[push]\nindex_now = "{KEY}"\ngoogle = "file:{account_file(tmp_path, heard.port)}"'
    made = Telling(found_site(tmp_path, more=push, database_url=portal_url), heard)
    yield made
    made.acme.portal.parts.close()
