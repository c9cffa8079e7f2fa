from pathlib import Path

import pytest

from tests.site.small_site import Site


@pytest.fixture
def site(tmp_path: Path) -> Site:
    made = Site(tmp_path)
    made.tenant("acme")
    return made
