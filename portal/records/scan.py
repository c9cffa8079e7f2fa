"""Held changes: released when the scanner has seen their CV, dead when it names a threat. Down is not clean."""

import logging
from datetime import timedelta

from portal.applications import uploads
from portal.attachments.scanner import Scanner
from portal.attachments.store import Store
from portal.clock import Clock
from portal.db import Database
from portal.errors import AttachmentMissing, Infected, ScannerUnavailable
from portal.outbox import queue
from portal.outbox.states import State
from portal.records.change import KIND
from portal.records.deliver import ChangeHandler

log = logging.getLogger(__name__)

_AT_ONCE = 100
_PUT_OFF = timedelta(minutes=1)


def scan_held(db: Database, store: Store, scanner: Scanner, clock: Clock, *, handler: ChangeHandler) -> int:
    """Scan what is held; returns how many were decided. Raises ScannerUnavailable, StoreUnavailable: all stay held."""
    with db.read() as connection:
        waiting = queue.held(connection, KIND, clock.now(), limit=_AT_ONCE)
    decided = 0
    for entry in waiting:
        with db.read() as connection:
            key = uploads.of_reference(connection, entry.subject)
        try:
            if key is None:
                raise AttachmentMissing("the CV of this change is gone")
            with store.open(key) as body:
                scanner.scan(body)
        except (Infected, AttachmentMissing) as threat:
            _refuse(db, entry.subject, clock, handler, type(threat).__name__)
        except ScannerUnavailable as away:
            scanner.check()  # raises when it is not this one file
            with db.write() as connection:
                queue.put_off(connection, KIND, entry.subject, clock.now() + _PUT_OFF)
            log.error("change %s is held: %s", entry.subject, away)  # noqa: TRY400  the message says it all
            continue
        else:
            with db.write() as connection:
                queue.release(connection, KIND, entry.subject, clock.now())
        decided += 1
    return decided


def _refuse(db: Database, reference: str, clock: Clock, handler: ChangeHandler, outcome: str) -> None:
    log.warning("change %s: %s", reference, outcome)

    with db.write() as connection:
        if queue.kill(connection, KIND, reference, clock.now(), outcome):
            handler.settled(connection, reference, State.DEAD)
