"""A portal with the tenant Acme, one job and the candidate Ada, and a log reader."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.platform.logs.log_reader import LogReader, reading_log

if TYPE_CHECKING:
    from tests.builders import Portal
    from tests.site.account.candidate import Visitor


@pytest.fixture
def acme(tmp_path: Path) -> "Iterator[Portal]":
    from tests.site.account.candidate import open_acme

    made = open_acme(tmp_path / "portal")
    yield made
    made.parts.database.close()


@pytest.fixture
def ada(acme: "Portal") -> "Visitor":
    from tests.site.account.candidate import Visitor

    return Visitor(acme)


@pytest.fixture
def log_reader() -> Iterator[LogReader]:
    with reading_log() as said:
        yield said
