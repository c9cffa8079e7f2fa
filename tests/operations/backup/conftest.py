"""A portal with two companies on either database, and a folder for its backups."""

import itertools
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.delivery.running_portal import running_portal
from tests.operations.backup.machine import Backups


@pytest.fixture(params=["sqlite", "postgresql"])
def backups(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backups]:
    numbers = itertools.count(1)
    with ExitStack() as stack:

        def empty() -> str:
            if request.param == "sqlite":
                return f"sqlite:///{tmp_path / f'{next(numbers)}.db'}"
            return str(stack.enter_context(request.getfixturevalue("postgres").database()))

        site = stack.enter_context(running_portal(tmp_path / "site", empty(), TRACKER_DATABASE_URL=empty()))
        site.services["globex"].shows_applications = True
        yield Backups(site, tmp_path / "backups", empty)
