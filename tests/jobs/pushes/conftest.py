from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.jobs.pushes.engines import KEY, PushScene, SearchEngines, account_file, run_search_engines
from tests.jobs.pushes.webhook import WebhookScene, open_webhooks
from tests.site.feeds.scene import found_site


@pytest.fixture
def heard() -> Iterator[SearchEngines]:
    with run_search_engines() as engines:
        yield engines


@pytest.fixture
def told(tmp_path: Path, heard: SearchEngines, portal_url: str) -> Iterator[WebhookScene]:
    """Acme's own website is notified; on SQLite and on PostgreSQL."""
    made = open_webhooks(tmp_path, heard, portal_url)
    yield made
    made.acme.portal.parts.close()


@pytest.fixture
def telling(tmp_path: Path, heard: SearchEngines, portal_url: str) -> Iterator[PushScene]:
    """Acme notifies both search engines; on SQLite and on PostgreSQL."""
    push = f'[push]\nindex_now = "{KEY}"\ngoogle = "file:{account_file(tmp_path, heard.port)}"'
    made = PushScene(found_site(tmp_path, more=push, database_url=portal_url), heard)
    yield made
    made.acme.portal.parts.close()
