"""Malware scans of held deliveries: released when the file is clean, dead when the scanner finds a threat.

A scanner that is unavailable does not count as clean. A file is claimed before it is scanned, like a request before it
is sent: however many workers run, each file is scanned once, and the file of a vanished worker is scanned again when
its lease ends. The threads of a worker share claims and records, as in outbox/batching.py.
"""

import logging
import threading
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from portal.adapters.inspection.scanner import Scanner
from portal.adapters.storage.store import Store
from portal.background.outbox.batching import WorkBatcher
from portal.background.outbox.claim import Claim, claim_held, hand_back
from portal.background.outbox.retry_policy import Policy, Verdict
from portal.background.outbox.settle import AttemptResult
from portal.background.outbox.states import OutboxState
from portal.background.outbox.wakeup import run_guarded
from portal.background.outbox.worker import Handler, record
from portal.delivery.uploads.claims import key_of
from portal.platform.clock import Clock
from portal.platform.database.db import Database
from portal.platform.errors import AttachmentMissing, Infected, ScannerUnavailable
from portal.platform.logs import EventName, Part, event
from portal.platform.logs.outage_log import Outage

_PUT_OFF = timedelta(minutes=1)
"""Pause before a file on which the scanner fails is scanned again; other files do not wait for it."""
_PAUSE = 1.0
"""Seconds until the next scan while the scanner or the storage is unavailable."""


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

    def batcher(self, stop: threading.Event, threads: int) -> WorkBatcher:
        """Return the batcher that so many threads of `run` share."""
        return WorkBatcher(
            stop,
            self._policy,
            self._clock,
            claim=lambda most, _, skip_precheck: self._claim(most, skip_precheck=skip_precheck),
            hand_back=lambda claims: hand_back(self._db, claims),
            record=self._record,
            threads=threads,
        )

    def run(self, batcher: WorkBatcher, stop: threading.Event) -> None:
        """Scan files until `stop` is set; pause while the scanner or the storage is unavailable."""
        while not stop.is_set():
            if not run_guarded(lambda: self._turn(batcher)):
                stop.wait(_PAUSE)
        run_guarded(batcher.leave)

    def scan_held_files(self) -> int:
        """Scan until nothing is due; return how many files have a result.

        A scanner that is down raises ScannerUnavailable and holds everything; unavailable storage raises
        StoreUnavailable. If the scanner fails only on one file, only that delivery stays held.
        """
        decided = 0
        while claims := self._claim(1):
            for claimed in claims:
                try:
                    result = self._attempt(claimed)
                except BaseException:
                    self._record([_held(claimed, self._clock.now())])
                    raise
                self._record([result])
                decided += result.verdict.state is not OutboxState.HELD
        return decided

    def _turn(self, batcher: WorkBatcher) -> None:
        claimed = batcher.next()
        if claimed is None:
            return
        try:
            result = self._attempt(claimed)
        except BaseException:
            try:
                batcher.ended(_held(claimed, self._clock.now()))
            finally:
                batcher.pause(_PAUSE)
            raise
        batcher.ended(result)

    def _claim(self, most: int, *, skip_precheck: bool = False) -> list[Claim]:
        kinds, now = list(self._handlers), self._clock.now()
        return claim_held(self._db, kinds, self._policy, now, most=most, skip_precheck=skip_precheck)

    def _attempt(self, claimed: Claim) -> AttemptResult:
        """Scan a file and return what to record. Raises ScannerUnavailable or StoreUnavailable if none can be."""
        try:
            self._scan(claimed)
        except (Infected, AttachmentMissing) as threat:
            verdict = Verdict(OutboxState.DEAD, self._clock.now(), destination_untried=True)
            return AttemptResult(claimed, verdict, type(threat).__name__, threat)
        except ScannerUnavailable as error:
            self._check()
            event(
                EventName.HELD,
                tenant=claimed.tenant,
                reference=claimed.subject,
                kind=claimed.kind,
                part=Part.SCANNER,
                because=error,
                level=logging.ERROR,
            )
            return _held(claimed, self._clock.now() + _PUT_OFF, type(error).__name__)
        return AttemptResult(claimed, Verdict(OutboxState.DUE, self._clock.now(), destination_untried=True))

    def _scan(self, claimed: Claim) -> None:
        with self._db.read_once() as connection:
            key = key_of(connection, claimed.subject)
        if key is None:
            raise AttachmentMissing("the file of this delivery is gone")
        with self._store.open(key) as body:
            asked_at = self._clock.monotonic()
            self._scanner.scan(body)
            self._outage.ends(asked_at)

    def _check(self) -> None:
        """Raise ScannerUnavailable if the scanner fails altogether, and not only on one file."""
        with self._outage.watched(ScannerUnavailable):
            self._scanner.check()

    def _record(self, ended: Sequence[AttemptResult]) -> None:
        record(self._db, ended, self._policy, self._clock, self._handlers)


def _held(claimed: Claim, until: datetime, outcome: str | None = None) -> AttemptResult:
    return AttemptResult(claimed, Verdict(OutboxState.HELD, until, destination_untried=True), outcome)
