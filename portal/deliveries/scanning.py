"""Held deliveries: released when the scanner has seen their file, dead when it names a threat. Down is not clean.

A file is claimed before it is scanned, like a request before it is sent: however many workers look, each is scanned
once, and one whose worker vanished is taken up again when its lease ends.
"""

import logging
from collections.abc import Mapping
from datetime import timedelta

from portal.absence import Absence
from portal.attachments.scanner import Scanner
from portal.attachments.store import Store
from portal.clock import Clock
from portal.db import Database
from portal.errors import AttachmentMissing, Infected, PortalError, ScannerUnavailable
from portal.logs import Happened, Part, event
from portal.outbox.claim import Claim, claim_held
from portal.outbox.decide import Policy, Verdict
from portal.outbox.settle import Ended
from portal.outbox.states import State
from portal.outbox.worker import Handler, record
from portal.uploads.claims import key_of

_PUT_OFF = timedelta(minutes=1)
"""A file that the scanner breaks over is looked at again after this; the others are not kept waiting for it."""


class Scanning:
    """Works off what is held, one file at a time."""

    def __init__(
        self,
        db: Database,
        store: Store,
        scanner: Scanner,
        handlers: Mapping[str, Handler],
        policy: Policy,
        clock: Clock,
        absence: Absence | None = None,
    ) -> None:
        self._db = db
        self._store = store
        self._scanner = scanner
        self._handlers = handlers
        self._policy = policy
        self._clock = clock
        self._absence = absence or Absence(Part.SCANNER, clock)

    def scan_what_is_held(self) -> int:
        """Scan until nothing is due; returns how many were decided.

        A scanner that is down raises ScannerUnavailable and holds everything, a store that is away StoreUnavailable;
        a file that the scanner breaks over holds itself alone.
        """
        decided = 0
        while claimed := claim_held(self._db, list(self._handlers), self._policy, self._clock.now()):
            decided += self._decide(claimed)
        return decided

    def _decide(self, claimed: Claim) -> bool:
        try:
            self._scan(claimed)
        except (Infected, AttachmentMissing) as threat:
            self._record(claimed, State.DEAD, type(threat).__name__, error=threat)
        except ScannerUnavailable as away:
            self._check(claimed)
            event(
                Happened.HELD,
                tenant=claimed.tenant,
                reference=claimed.subject,
                kind=claimed.kind,
                part=Part.SCANNER,
                because=away,
                level=logging.ERROR,
            )
            self._record(claimed, State.HELD, type(away).__name__, later=_PUT_OFF)
            return False
        except BaseException:
            self._record(claimed, State.HELD, None)
            raise
        else:
            self._record(claimed, State.DUE, None)
        return True

    def _scan(self, claimed: Claim) -> None:
        with self._db.read() as connection:
            key = key_of(connection, claimed.subject)
        if key is None:
            raise AttachmentMissing("the file of this delivery is gone")
        with self._store.open(key) as body:
            asked_at = self._clock.monotonic()
            self._scanner.scan(body)
            self._absence.ends(asked_at)

    def _check(self, claimed: Claim) -> None:
        """Raises ScannerUnavailable when it is not this one file."""
        try:
            with self._absence.watched(ScannerUnavailable):
                self._scanner.check()
        except ScannerUnavailable:
            self._record(claimed, State.HELD, None)
            raise

    def _record(
        self,
        claimed: Claim,
        state: State,
        outcome: str | None,
        *,
        later: timedelta = timedelta(),
        error: PortalError | None = None,
    ) -> None:
        verdict = Verdict(state, self._clock.now() + later, lane_unseen=True)
        record(self._db, [Ended(claimed, verdict, outcome, error)], self._policy, self._clock, self._handlers)
