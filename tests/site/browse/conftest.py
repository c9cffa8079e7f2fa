from pathlib import Path

import pytest

from tests.site.browse.jobs import Careers, careers


@pytest.fixture
def acme(tmp_path: Path) -> Careers:
    return careers(tmp_path)
