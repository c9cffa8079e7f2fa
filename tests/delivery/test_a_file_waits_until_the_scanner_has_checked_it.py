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
pytestmark = pytest.mark.parametrize("scene", [{"scanner": "clamd:127.0.0.1:9"}], indirect=True)


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


def scan(scene: Scene, scanner: Scanner) -> int:
    parts, work = scene.parts, scene.work
    scanning = Scanning(parts.database, parts.store, scanner, work._deliveries, work._policy, parts.clock)
    return scanning.scan_held_files()


def test_no_file_is_sent_before_it_is_scanned(scene: Scene):
    reference = scene.apply()
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.HELD
    with pytest.raises(ScannerUnavailable):
        scan(scene, Scanner(down=True))
    assert scene.overview(reference).state is OutboxState.HELD
    assert scene.acme.posted == []
    assert scan(scene, Scanner()) == 1
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.DELIVERED


def test_a_file_on_which_the_scanner_fails_holds_only_its_own_application(scene: Scene):
    references = [scene.apply(f"p{n}") for n in range(3)]
    assert scan(scene, Scanner(breaks={0})) == 2
    scene.deliver()
    states = [scene.overview(one).state for one in references]
    assert states == [OutboxState.HELD, OutboxState.DELIVERED, OutboxState.DELIVERED]
    scene.clock.pass_time(61)
    assert scan(scene, Scanner()) == 1


def test_a_file_that_the_scanner_could_not_scan_in_time_waits_a_minute_from_then(scene: Scene):
    class Hangs(Scanner):
        def scan(self, body: io.BufferedIOBase) -> None:
            scene.clock.pass_time(60)
            super().scan(body)

    scene.apply()
    assert scan(scene, Hangs(breaks={0})) == 0
    scene.clock.pass_time(50)
    assert scan(scene, Scanner()) == 0
    scene.clock.pass_time(11)
    assert scan(scene, Scanner()) == 1


def test_an_application_held_for_a_week_fails_and_everyone_is_notified(scene: Scene):
    reference = scene.apply()
    scene.clock.pass_time(7 * DAY - 60)
    scene.work.run_housekeeping()
    assert scene.overview(reference).state is OutboxState.HELD
    scene.clock.pass_time(61)
    scene.work.run_housekeeping()
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.DEAD
    assert scene.overview(reference).last_failure == "ScannerUnavailable"
    assert any("jobs@acme.example" in mail for mail in scene.mails())


def test_a_file_with_a_threat_fails_its_application_even_after_a_retry(scene: Scene):
    reference = scene.apply()
    scan(scene, Scanner(threats={0}))
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.DEAD
    assert any(reference in mail and "To: jobs@acme.example" in mail for mail in scene.mails())
    assert submissions.retry(scene.parts.database, scene.parts.seal, KINDS, reference, scene.clock, scan_required=True)
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.HELD
    assert scene.acme.posted == []
