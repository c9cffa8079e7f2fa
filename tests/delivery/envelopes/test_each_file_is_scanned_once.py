"""Each held file is scanned once by any number of workers, and again if its worker vanished."""

import io
import threading
from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import pytest

from portal.background.outbox.claim import claim_held
from portal.background.outbox.retry_policy import Policy
from portal.background.outbox.states import OutboxState
from portal.delivery.applications.kind import APPLICATION
from portal.delivery.envelopes import submissions
from portal.delivery.envelopes.scanning import Scanning
from portal.delivery.kinds import KINDS
from portal.platform.clock import Clock, SystemClock
from portal.platform.errors import ScannerUnavailable
from tests.background.sync.companies import until as wait_for
from tests.delivery.envelopes.desk import Desk

FILES = 30
POLICY = Policy()


class NoSideEffects:
    """A handler without side effects."""

    def deliver(self, *_: object):
        raise AssertionError

    def settled(self, *_: object):
        """Nothing."""


class Scanner:
    """Records the scanned files."""

    def __init__(self) -> None:
        self.seen: Counter[bytes] = Counter()
        self.down, self.refused = False, 0

    def scan(self, body: io.BufferedIOBase) -> None:
        if self.down:
            self.refused += 1
            raise ScannerUnavailable("down")
        self.seen[body.read()] += 1

    def check(self) -> None:
        if self.down:
            raise ScannerUnavailable("down")


def hold(desk: Desk, count: int) -> list[str]:
    return [
        desk.send(desk.filled(f"{n:032x}", content=f"CV number {n}\n".encode()), scan_required=True)
        for n in range(count)
    ]


def scanning(desk: Desk, scanner: Scanner, clock: Clock | None = None) -> Scanning:
    return Scanning(desk.db, desk.store, scanner, {APPLICATION.name: NoSideEffects()}, POLICY, clock or desk.clock)


def states(desk: Desk) -> Counter[OutboxState]:
    return Counter(one.state for one in submissions.overview(desk.db, KINDS))


def scanned_by_workers(desk: Desk, scanner: Scanner, *, until: Callable[[], bool]) -> None:
    """Let two workers with two threads each scan until something is true."""
    stop, threads = threading.Event(), []
    for _ in range(2):
        work = scanning(desk, scanner, SystemClock())
        batcher = work.batcher(stop, 2)
        threads += [threading.Thread(target=work.run, args=(batcher, stop)) for _ in range(2)]
    for one in threads:
        one.start()
    try:
        wait_for(until, "the files are scanned")
    finally:
        stop.set()
        for one in threads:
            one.join()


def test_two_workers_scan_each_file_once(desk: Desk):
    hold(desk, FILES)
    scanner = Scanner()
    scanned_by_workers(desk, scanner, until=lambda: states(desk) == {OutboxState.DUE: FILES})
    assert (len(scanner.seen), set(scanner.seen.values())) == (FILES, {1})


def test_a_worker_that_stops_hands_back_the_files_that_it_has_not_begun(desk: Desk):
    hold(desk, FILES)
    stop = threading.Event()

    class Stops(Scanner):
        def scan(self, body: io.BufferedIOBase) -> None:
            super().scan(body)
            stop.set()

    work = scanning(desk, Stops())
    work.run(work.batcher(stop, 1), stop)
    assert states(desk) == {OutboxState.DUE: 1, OutboxState.HELD: FILES - 1}
    assert scanning(desk, Scanner()).scan_held_files() == FILES - 1


def test_while_the_scanner_is_unavailable_a_worker_pauses_and_then_scans_everything(desk: Desk):
    hold(desk, FILES)
    scanner = Scanner()
    scanner.down = True
    recovers = threading.Timer(1.5, lambda: setattr(scanner, "down", False))
    recovers.start()
    scanned_by_workers(desk, scanner, until=lambda: states(desk) == {OutboxState.DUE: FILES})
    assert (len(scanner.seen), set(scanner.seen.values())) == (FILES, {1})
    assert scanner.refused <= 24, "two workers with two threads each ask about once a second"


def test_a_file_is_scanned_again_when_the_lease_of_a_vanished_worker_ends(desk: Desk):
    hold(desk, 1)
    scanner = Scanner()
    assert claim_held(desk.db, [APPLICATION.name], POLICY, desk.clock.now())
    assert scanning(desk, scanner).scan_held_files() == 0
    desk.clock.pass_time(timedelta(seconds=POLICY.lease).total_seconds())
    assert scanning(desk, scanner).scan_held_files() == 1
    assert states(desk) == {OutboxState.DUE: 1}


def test_an_unavailable_scanner_does_not_block_other_deliveries(desk: Desk):
    hold(desk, 2)
    scanner = Scanner()
    scanner.down = True
    with pytest.raises(ScannerUnavailable):
        scanning(desk, scanner).scan_held_files()
    scanner.down = False
    assert scanning(desk, scanner).scan_held_files() == 2
