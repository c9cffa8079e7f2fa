"""An interrupted upgrade leaves the old or the new schema, and does not block writers for long."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

from portal.platform.database.db import Database
from portal.platform.database.schema import LOCK_TIMEOUT, SchemaState
from portal.platform.errors import DatabaseUnavailable, SchemaError
from tests.parts.postgres import Postgres
from tests.platform.database.releases import release
from tests.schemas import PORTAL, postgres_template

MAKE = 'op.create_table("one", sa.Column("n", sa.Integer)); op.add_column("outbox", sa.Column("one", sa.Text))'
FILL = 'op.execute("INSERT INTO one VALUES (1)")'
UPGRADE = """
import sys
from pathlib import Path
from portal.platform.database.db import Database
Database(sys.argv[1], migrations=Path(sys.argv[2])).upgrade()
"""


@contextmanager
def of(url: str, migrations: Path) -> Iterator[Database]:
    opened = Database(url, migrations=migrations)
    try:
        yield opened
    finally:
        opened.close()


def everything(url: str) -> dict[str, object]:
    """Return every table with its columns, and the schema's version."""
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        found: dict[str, object] = {
            table: [str(column["name"]) for column in sa.inspect(connection).get_columns(table)]
            for table in sa.inspect(connection).get_table_names()
        }
        found["version"] = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalars().all()
    engine.dispose()
    return found


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ('op.execute("INSERT INTO nowhere VALUES (1)")', "OperationalError|ProgrammingError"),
        ('op.execute("INSERT INTO one VALUES (NULL, 2)")', "OperationalError|ProgrammingError"),
    ],
)
def test_a_migration_that_fails_midway_leaves_the_old_schema(portal_url: str, tmp_path: Path, fault: str, told: str):
    before = everything(portal_url)
    with of(portal_url, release(tmp_path / "r", "m1", "m2", on=PORTAL, m1=f"{MAKE}; {FILL}", m2=fault)) as later:
        with pytest.raises(SchemaError, match=f"the schema is as it was: ({told})"):
            later.upgrade()
        assert everything(portal_url) == before
    with of(portal_url, release(tmp_path / "mended", "m1", "m2", on=PORTAL, m1=f"{MAKE}; {FILL}")) as mended:
        mended.upgrade()
        assert "one" in everything(portal_url)


def test_a_full_disk_leaves_the_old_schema(tmp_path: Path):
    url = f"sqlite:///{tmp_path / 'portal.db'}"
    with of(url, PORTAL) as present:
        present.upgrade()
    before = everything(url)
    full = 'op.execute("PRAGMA max_page_count = 1"); op.execute("INSERT INTO one VALUES (randomblob(1000000))")'
    folder = release(tmp_path / "r", "m1", on=PORTAL, m1=f"{MAKE}; {full}")
    with of(url, folder) as later, pytest.raises(DatabaseUnavailable, match="SQLITE_FULL"):
        later.upgrade()
    assert everything(url) == before


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_upgrade_leaves_the_old_schema(portal_url: str, tmp_path: Path, end: signal.Signals):
    before, there = everything(portal_url), tmp_path / "there"
    waits = f"{MAKE}; import pathlib, time; pathlib.Path({str(there)!r}).touch(); time.sleep(60)"
    folder = release(tmp_path / "r", "m1", on=PORTAL, m1=waits)
    hears = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # ignored in background jobs
    command = [sys.executable, "-c", hears + UPGRADE, portal_url, str(folder)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    until(there.exists)
    os.kill(process.pid, end)
    assert process.wait(20) != 0
    with of(portal_url, PORTAL) as present:  # the next upgrade waits until the locks are released
        present.upgrade()
    assert everything(portal_url) == before


def test_concurrent_upgrades_have_one_result(portal_url: str, tmp_path: Path):
    there = tmp_path / "there"
    slow = f"{MAKE}; {FILL}; import pathlib, time; pathlib.Path({str(there)!r}).touch(); time.sleep(2)"
    folder = release(tmp_path / "r", "m1", on=PORTAL, m1=slow)
    found: list[SchemaState] = []

    def run() -> None:
        with of(portal_url, folder) as database:
            found.append(database.upgrade().state)

    threads = [threading.Thread(target=run) for _ in range(2)]
    threads[0].start()
    until(there.exists)
    threads[1].start()
    for thread in threads:
        thread.join()
    assert sorted(state.name for state in found) == ["CURRENT", "OLDER"]
    with of(portal_url, folder) as database, database.read() as connection:
        assert connection.execute(sa.text("SELECT n FROM one")).scalars().all() == [1]


def test_an_upgrade_that_waits_for_a_lock_blocks_no_writer(postgres: Postgres, tmp_path: Path):
    """A long read of a table, an upgrade that has to change it, and writers that would wait behind the upgrade."""
    folder = release(tmp_path / "r", "m1", on=PORTAL, m1=MAKE)
    with postgres.database(template=postgres_template(postgres, PORTAL)) as url, of(url, folder) as later:
        before = everything(url)
        with looking_at_outbox(url), writing(url) as waits:
            with pytest.raises(SchemaError, match=r"as it was: somebody used what it changes.*2 times"):
                later.upgrade(tries=2, pause=0.2)
            assert everything(url) == before
        assert len(waits) > 5
        assert max(waits) < 10  # seconds, on a busy machine
        assert any(wait > LOCK_TIMEOUT / 2 for wait in waits), "no writer waited behind it, so nothing was tested"

        with looking_at_outbox(url) as look:
            ends = threading.Timer(LOCK_TIMEOUT * 1.5, look)
            ends.start()
            later.upgrade(pause=0.2)  # retries until the read is over
            ends.join()
        assert "one" in everything(url)


def test_an_upgrade_that_deadlocks_with_a_writer_is_retried(postgres: Postgres, tmp_path: Path):
    """It has locked one table and wants another; a writer has the other and wants the first. PostgreSQL ends the one
    that notices first, here the upgrade, unless the writer is so late that the upgrade has given way before.
    """
    touched = tmp_path / "touched"
    change = 'op.add_column("outbox", sa.Column("one", sa.Text))'
    tell = f"__import__('pathlib').Path({str(touched)!r}).touch()"
    folder = release(tmp_path / "r", "m1", on=PORTAL, m1=f"{change}; {tell}; {change.replace('outbox', 'pictures')}")
    with postgres.database(template=postgres_template(postgres, PORTAL)) as url, of(url, folder) as later:
        engine = sa.create_engine(url)
        with engine.begin() as owner:
            owner.execute(sa.text(f"ALTER DATABASE {engine.url.database} SET deadlock_timeout = '100ms'"))
        engine.dispose()
        with engine.connect() as writer:
            writer.execute(sa.text("SET deadlock_timeout = '60s'"))
            writer.execute(sa.text("LOCK TABLE pictures IN ROW EXCLUSIVE MODE"))
            upgrade = threading.Thread(target=later.upgrade, kwargs={"pause": 0.2})
            upgrade.start()
            until(touched.exists)
            until(lambda: waits_for_a_lock(url))
            writer.execute(sa.text("UPDATE outbox SET attempts = attempts + 1"))
            writer.commit()
        upgrade.join()
        engine.dispose()
        assert "one" in everything(url)["outbox"]  # type: ignore[operator]  a list, unlike the version beside it


def waits_for_a_lock(url: str) -> bool:
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        waits = connection.scalar(sa.text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"))
    engine.dispose()
    return bool(waits)


@contextmanager
def looking_at_outbox(url: str) -> Iterator[Callable[[], object]]:
    """Read the table in a transaction that lasts until the yielded function is called, or the block ends."""
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        connection.execute(sa.text("SELECT count(*) FROM outbox"))
        yield connection.rollback
    engine.dispose()


@contextmanager
def writing(url: str) -> Iterator[list[float]]:
    """Write to the table repeatedly; yield the duration of each write in seconds."""
    waits: list[float] = []
    ended = threading.Event()

    def run() -> None:
        engine = sa.create_engine(url)
        while not ended.wait(0.02):
            begun = time.monotonic()
            with engine.begin() as connection:
                connection.execute(sa.text("UPDATE outbox SET attempts = attempts + 1"))
            waits.append(time.monotonic() - begun)
        engine.dispose()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield waits
    finally:
        ended.set()
        thread.join()


def until(true: Callable[[], object], *, seconds: float = 60) -> None:
    ends = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < ends
        time.sleep(0.02)
