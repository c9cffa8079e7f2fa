"""Acme's careers site, as search engines come to it."""

from pathlib import Path

import pytest

from tests.browse.jobs import Careers
from tests.reach.scene import found_site


@pytest.fixture
def acme(tmp_path: Path) -> Careers:
    """Known on the portal's own host, in English and German, with salaries a year."""
    return found_site(tmp_path)
