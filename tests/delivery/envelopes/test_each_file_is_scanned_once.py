"""Each held file is scanned once by any number of workers, and again if its worker vanished."""

import io
import threading
from collections import Counter
from datetime import timedelta

import pytest

from portal.background.outbox.claim import claim_held
from portal.background.outbox.retry_policy import Policy
from portal.background.outbox.states import OutboxState
from portal.delivery.applications.kind import APPLICATION
from portal.delivery.envelopes import submissions
from portal.delivery.envelopes.scanning import Scanning
from portal.delivery.kinds import KINDS
from portal.platform.errors import ScannerUnavailable
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
        self.down = False

    def scan(self, body: io.BufferedIOBase) -> None:
        if self.down:
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


def scanning(desk: Desk, scanner: Scanner) -> Scanning:
    return Scanning(desk.db, desk.store, scanner, {APPLICATION.name: NoSideEffects()}, POLICY, desk.clock)


def states(desk: Desk) -> Counter[OutboxState]:
    return Counter(one.state for one in submissions.overview(desk.db, KINDS))


def test_two_workers_scan_each_file_once(desk: Desk):
    hold(desk, FILES)
    scanner = Scanner()
    workers = [threading.Thread(target=scanning(desk, scanner).scan_held_files) for _ in range(4)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    assert (len(scanner.seen), set(scanner.seen.values())) == (FILES, {1})
    assert states(desk) == {OutboxState.DUE: FILES}


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
