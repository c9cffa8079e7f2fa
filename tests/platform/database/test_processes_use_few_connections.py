"""Two servers and two workers fit Debian's default PostgreSQL, and no process waits for its own connections."""

import threading
import time

import sqlalchemy as sa

from portal.platform.database.db import Database
from portal.platform.database.engines import KEPT, MORE, SESSIONS
from tests.schemas import PORTAL

DEBIANS, KEPT_FOR_ADMINISTRATORS = 100, 3
PROCESSES = 4


def test_four_processes_fit_the_connection_limit_of_debian():
    assert KEPT + MORE <= 30
    assert PROCESSES * (KEPT + MORE) <= DEBIANS - KEPT_FOR_ADMINISTRATORS


def test_threads_that_need_a_lock_and_a_second_connection_never_deadlock(portal_url: str):
    database = Database(portal_url, migrations=PORTAL, timeout=20)
    most, done, failed = [0], [], []

    def work() -> None:
        try:
            with database.session():
                time.sleep(0.02)  # so that every thread has its first connection before one requests the second
                with database.read() as connection:
                    most[0] = max(most[0], database.connections)
                    done.append(connection.scalar(sa.text("SELECT 1")))
        except Exception as error:  # noqa: BLE001  reported below
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(3 * (KEPT + MORE))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    database.close()
    assert failed == []
    assert len(done) == len(threads)
    assert most[0] <= KEPT + MORE
    assert SESSIONS < KEPT + MORE
