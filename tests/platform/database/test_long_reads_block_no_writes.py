"""During a long read by a backup, applications are accepted; purged data is removed once it ends."""

import sqlite3
import threading
from pathlib import Path

import sqlalchemy as sa

from portal.background.outbox.states import OutboxState
from portal.background.outbox.tables import outbox
from portal.delivery.envelopes.person import purge
from portal.delivery.envelopes.tables import deliveries
from portal.delivery.kinds import KINDS
from portal.platform.clock import SystemClock
from tests.delivery.envelopes.desk import Desk, open_desk
from tests.parts.process import read_by_another

TIMEOUT = 15
"""Seconds: far more than a busy machine takes, half of what a writer waited for a reader."""


def delivered_long_ago(desk: Desk) -> None:
    desk.send(desk.filled("1" * 32))
    with desk.db.write() as connection:
        connection.execute(outbox.update().values(state=OutboxState.DELIVERED, settled_at=desk.clock.now()))
        connection.execute(deliveries.update().values(delivered_at=desk.clock.now()))
    desk.clock.pass_time(101)


def in_the_log(folder: Path, sealed: str) -> bool:
    return sealed.encode() in read_by_another(folder / "portal.db-wal")


def test_applications_are_accepted_while_purged_data_waits_for_a_backup(tmp_path: Path):
    desk = open_desk(f"sqlite:///{tmp_path / 'portal.db'}", tmp_path)
    delivered_long_ago(desk)

    def housekeeping() -> None:
        assert purge(desk.db, KINDS, after=100, clock=desk.clock) == 1
        desk.db.truncate_log()

    with desk.db.read() as backup:
        sealed = backup.execute(sa.select(deliveries.c.sealed)).scalar_one()
        purging = threading.Thread(target=housekeeping, daemon=True)
        started = SystemClock().monotonic()
        purging.start()
        sent = 0
        while sent < 5 or purging.is_alive():
            desk.send(desk.filled(f"{sent + 2:032x}"))
            sent += 1
        assert SystemClock().monotonic() - started < TIMEOUT
        assert in_the_log(tmp_path, sealed)
        assert not desk.db.truncate_log()
    assert desk.db.truncate_log()
    assert not in_the_log(tmp_path, sealed)
    desk.db.close()


def test_truncating_the_log_keeps_the_busy_timeout_of_its_connection(tmp_path: Path):
    desk = open_desk(f"sqlite:///{tmp_path / 'portal.db'}", tmp_path)
    assert desk.db.truncate_log()
    with desk.db.engine.connect() as connection:
        raw = connection.connection.dbapi_connection
        assert isinstance(raw, sqlite3.Connection)
        assert raw.execute("PRAGMA busy_timeout").fetchone() == (30_000,)
    desk.db.close()


def test_nothing_is_truncated_on_postgresql(desk: Desk):
    assert desk.db.truncate_log()
