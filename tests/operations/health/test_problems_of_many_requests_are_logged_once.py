"""A nearly full disk and an exhausted connection pool are logged once at their start and once at their end."""

import logging
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from portal.delivery.uploads.disk_space import Space
from portal.platform.database.db import Database
from portal.platform.errors import DatabaseUnavailable, PoolExhausted
from portal.platform.logs import Part
from portal.platform.logs.events import Event
from portal.platform.logs.outage_log import Outages
from tests.builders import Portal
from tests.site.apply.applicant import Applicant
from tests.site.apply.conftest import portal_with
from tests.told_clock import ToldClock

PLENTY, LITTLE = Space(10**12, 10**12), Space(10**12, 10**6)


class Disk:
    def __init__(self) -> None:
        self.space = PLENTY

    def __call__(self, _: Path) -> Space:
        return self.space


@pytest.fixture
def disk() -> Disk:
    return Disk()


@pytest.fixture
def acme(tmp_path: Path, disk: Disk) -> Iterator[Portal]:
    made = portal_with(tmp_path / "portal", free_space=disk)
    yield made
    made.parts.close()


def warnings_in(caplog: pytest.LogCaptureFixture) -> list[tuple[object, ...]]:
    """Return lines of level warning or higher: event, part, count."""
    lines = [one for one in caplog.records if one.levelno >= logging.WARNING]
    return [
        (one.msg.event, one.msg.fields.get("part"), one.msg.fields.get("count"))
        if isinstance(one.msg, Event)
        else (one.getMessage(),)
        for one in lines
    ]


def test_paused_uploads_are_logged_once(acme: Portal, disk: Disk, caplog: pytest.LogCaptureFixture):
    with acme.browser() as client, caplog.at_level(logging.INFO):
        ada = Applicant(client)
        disk.space = LITTLE
        for _ in range(5):
            assert ada.send().status == 503
        assert warnings_in(caplog) == [("away", "uploads", None)]
        disk.space = PLENTY
        acme.parts.clock.pass_time(1)
        ada.receipt()
        ada.open()
        assert warnings_in(caplog) == [("away", "uploads", None), ("recovered", "uploads", 5)]


def test_an_exhausted_connection_pool_is_logged_once(database: Database, caplog: pytest.LogCaptureFixture):
    clock = ToldClock()
    outages = Outages(clock)
    database._clock = clock
    database.outage.log, database.outage.pool_log = outages.of(Part.DATABASE), outages.of(Part.CONNECTIONS)
    database.engine.pool._timeout = 0.01
    with caplog.at_level(logging.INFO):
        with ExitStack() as held:
            for _ in range(database.connections_most):
                held.enter_context(database.read())
            for _ in range(5):
                with pytest.raises(PoolExhausted), database.read():
                    pass
        clock.pass_time(1)
        with database.read():
            pass
    assert warnings_in(caplog) == [("away", "connections", None), ("recovered", "connections", 5)]


def test_code_that_handles_a_database_outage_also_handles_an_exhausted_pool():
    assert issubclass(PoolExhausted, DatabaseUnavailable)
