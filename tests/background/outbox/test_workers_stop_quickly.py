"""A worker stops quickly with any number of threads, which do not wait for each other to find no more work."""

import threading
import time

from portal.background.outbox import worker
from portal.background.outbox.retry_policy import Policy
from portal.platform.clock import SystemClock
from portal.platform.database.db import Database

THREADS = 32


def test_a_worker_stops_within_one_polling_interval(database: Database):
    stop, clock = threading.Event(), SystemClock()
    policy = Policy(retry_base=30, lease=180, ambiguous_delay=900, give_up=604_800)
    crew = worker.batcher_of(database, {}, policy, clock, stop)
    threads = [threading.Thread(target=worker.run, args=({}, policy, clock, stop, crew)) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    time.sleep(0.2)
    stop.set()
    told = time.monotonic()
    for thread in threads:
        thread.join()
    # One after the other they would need THREADS * IDLE.
    assert time.monotonic() - told < THREADS * worker.IDLE / 2
