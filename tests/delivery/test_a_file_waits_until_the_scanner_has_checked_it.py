"""An unavailable scanner holds all deliveries with files; a file on which it fails holds only its own."""

import io

import pytest

from portal.background.outbox.states import OutboxState
from portal.delivery.envelopes import submissions
from portal.delivery.envelopes.scanning import Scanning
from portal.delivery.kinds import KINDS
from portal.platform.errors import Infected, ScannerUnavailable
from tests.delivery.scene import Scene

DAY = 86_400
pytestmark = pytest.mark.parametrize("here", [{"scanner": "clamd:127.0.0.1:9"}], indirect=True)


class Scanner:
    """Fails on the files whose turn is in `breaks`, and finds threats in those in `threats`."""

    def __init__(self, *, breaks: set[int] = frozenset(), threats: set[int] = frozenset(), down: bool = False) -> None:
        self.breaks, self.threats, self.down, self.turn = breaks, threats, down, 0

    def scan(self, body: io.BufferedIOBase) -> None:
        assert body.read()
        if self.down or self.turn in self.breaks:
            self.turn += 1
            raise ScannerUnavailable("broke off")
        self.turn += 1
        if self.turn - 1 in self.threats:
            raise Infected("a threat")

    def check(self) -> None:
        if self.down:
            raise ScannerUnavailable("down")


def scan(here: Scene, scanner: Scanner) -> int:
    parts, work = here.parts, here.work
    scanning = Scanning(parts.database, parts.store, scanner, work._deliveries, work._policy, parts.clock)
    return scanning.scan_held_files()


def test_no_file_is_sent_before_it_is_scanned(here: Scene):
    reference = here.apply()
    here.deliver()
    assert here.overview(reference).state is OutboxState.HELD
    with pytest.raises(ScannerUnavailable):
        scan(here, Scanner(down=True))
    assert here.overview(reference).state is OutboxState.HELD
    assert here.acme.posted == []
    assert scan(here, Scanner()) == 1
    here.deliver()
    assert here.overview(reference).state is OutboxState.DELIVERED


def test_a_file_on_which_the_scanner_fails_holds_only_its_own_application(here: Scene):
    references = [here.apply(f"p{n}") for n in range(3)]
    assert scan(here, Scanner(breaks={0})) == 2
    here.deliver()
    states = [here.overview(one).state for one in references]
    assert states == [OutboxState.HELD, OutboxState.DELIVERED, OutboxState.DELIVERED]
    here.clock.pass_time(61)
    assert scan(here, Scanner()) == 1


def test_an_application_held_for_a_week_fails_and_everyone_is_notified(here: Scene):
    reference = here.apply()
    here.clock.pass_time(7 * DAY - 60)
    here.work.run_housekeeping()
    assert here.overview(reference).state is OutboxState.HELD
    here.clock.pass_time(61)
    here.work.run_housekeeping()
    here.deliver()
    assert here.overview(reference).state is OutboxState.DEAD
    assert here.overview(reference).last_failure == "ScannerUnavailable"
    assert any("jobs@acme.example" in mail for mail in here.mails())


def test_a_file_with_a_threat_fails_its_application_even_after_a_retry(here: Scene):
    reference = here.apply()
    scan(here, Scanner(threats={0}))
    here.deliver()
    assert here.overview(reference).state is OutboxState.DEAD
    assert any(reference in mail and "To: jobs@acme.example" in mail for mail in here.mails())
    assert submissions.retry(here.parts.database, here.parts.seal, KINDS, reference, here.clock, scan_required=True)
    here.deliver()
    assert here.overview(reference).state is OutboxState.HELD
    assert here.acme.posted == []
