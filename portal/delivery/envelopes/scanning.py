"""Malware scans of held deliveries: released when the file is clean, dead when the scanner finds a threat.

A scanner that is unavailable does not count as clean. A file is claimed before it is scanned, like a request before it
is sent: however many workers run, each file is scanned once, and the file of a vanished worker is scanned again when
its lease ends.
"""

import logging
from collections.abc import Mapping
from datetime import timedelta

from portal.adapters.inspection.scanner import Scanner
from portal.adapters.storage.store import Store
from portal.background.outbox.claim import Claim, claim_held
from portal.background.outbox.retry_policy import Policy, Verdict
from portal.background.outbox.settle import AttemptResult
from portal.background.outbox.states import OutboxState
from portal.background.outbox.worker import Handler, record
from portal.delivery.uploads.claims import key_of
from portal.platform.clock import Clock
from portal.platform.database.db import Database
from portal.platform.errors import AttachmentMissing, Infected, PortalError, ScannerUnavailable
from portal.platform.logs import EventName, Part, event
from portal.platform.logs.outage_log import Outage

_PUT_OFF = timedelta(minutes=1)
"""Pause before a file on which the scanner fails is scanned again; other files do not wait for it."""


class Scanning:
    """The scans of held deliveries; several threads may scan at once, each a file of its own."""

    def __init__(
        self,
        db: Database,
        store: Store,
        scanner: Scanner,
        handlers: Mapping[str, Handler],
        policy: Policy,
        clock: Clock,
        outage: Outage | None = None,
    ) -> None:
        self._db = db
        self._store = store
        self._scanner = scanner
        self._handlers = handlers
        self._policy = policy
        self._clock = clock
        self._outage = outage or Outage(Part.SCANNER, clock)

    def scan_held_files(self) -> int:
        """Scan until nothing is due; return how many files have a result.

        A scanner that is down raises ScannerUnavailable and holds everything; unavailable storage raises
        StoreUnavailable. If the scanner fails only on one file, only that delivery stays held.
        """
        decided = 0
        while claimed := claim_held(self._db, list(self._handlers), self._policy, self._clock.now()):
            decided += self._decide(claimed)
        return decided

    def _decide(self, claimed: Claim) -> bool:
        try:
            self._scan(claimed)
        except (Infected, AttachmentMissing) as threat:
            self._record(claimed, OutboxState.DEAD, type(threat).__name__, error=threat)
        except ScannerUnavailable as error:
            self._check(claimed)
            event(
                EventName.HELD,
                tenant=claimed.tenant,
                reference=claimed.subject,
                kind=claimed.kind,
                part=Part.SCANNER,
                because=error,
                level=logging.ERROR,
            )
            self._record(claimed, OutboxState.HELD, type(error).__name__, later=_PUT_OFF)
            return False
        except BaseException:
            self._record(claimed, OutboxState.HELD, None)
            raise
        else:
            self._record(claimed, OutboxState.DUE, None)
        return True

    def _scan(self, claimed: Claim) -> None:
        with self._db.read() as connection:
            key = key_of(connection, claimed.subject)
        if key is None:
            raise AttachmentMissing("the file of this delivery is gone")
        with self._store.open(key) as body:
            asked_at = self._clock.monotonic()
            self._scanner.scan(body)
            self._outage.ends(asked_at)

    def _check(self, claimed: Claim) -> None:
        """Raise ScannerUnavailable if the scanner fails altogether, and not only on this file."""
        try:
            with self._outage.watched(ScannerUnavailable):
                self._scanner.check()
        except ScannerUnavailable:
            self._record(claimed, OutboxState.HELD, None)
            raise

    def _record(
        self,
        claimed: Claim,
        state: OutboxState,
        outcome: str | None,
        *,
        later: timedelta = timedelta(),
        error: PortalError | None = None,
    ) -> None:
        verdict = Verdict(state, self._clock.now() + later, destination_untried=True)
        record(self._db, [AttemptResult(claimed, verdict, outcome, error)], self._policy, self._clock, self._handlers)
