"""Held submissions: released when the scanner has seen their CV, dead when it names a threat. Down is not clean."""

import logging
from datetime import timedelta

import sqlalchemy as sa

from portal.applications.accept import KIND
from portal.applications.deliver import tell_of_the_dead
from portal.applications.tables import submissions
from portal.attachments.scanner import Scanner
from portal.attachments.store import Store
from portal.clock import Clock
from portal.db import Database
from portal.errors import AttachmentMissing, Infected, ScannerUnavailable
from portal.outbox import queue
from portal.tenants.folder import Tenants

log = logging.getLogger(__name__)

_AT_ONCE = 100
_OF_THE_FILE = frozenset({Infected.__name__, AttachmentMissing.__name__})
_PUT_OFF = timedelta(minutes=1)
"""A file that the scanner breaks over is looked at again after this; the others are not kept waiting for it."""


def scan_held(db: Database, store: Store, scanner: Scanner, clock: Clock, *, tenants: Tenants, give_up: float) -> int:
    """Scan what is held, longest waiting first; returns how many were decided.

    A scanner that is down raises ScannerUnavailable and holds everything; one that breaks over one file holds that one.
    What is still held after `give_up` seconds is dead. Raises StoreUnavailable when no file can be read.
    """
    with db.read() as connection:
        waiting = queue.held(connection, KIND, clock.now(), limit=_AT_ONCE)
    decided = 0
    for entry in waiting:
        with db.read() as connection:
            row = connection.execute(sa.select(submissions).where(submissions.c.reference == entry.subject)).one()
        try:
            with store.open(row.attachment_key) as body:
                scanner.scan(body)
        except (Infected, AttachmentMissing) as threat:
            _refuse(db, entry.subject, clock, tenants, type(threat).__name__)
        except ScannerUnavailable as away:
            if clock.now() - entry.created_at >= timedelta(seconds=give_up):
                _refuse(db, entry.subject, clock, tenants, type(away).__name__)
                continue
            scanner.check()  # raises when it is not this one file
            with db.write() as connection:
                queue.put_off(connection, KIND, entry.subject, clock.now() + _PUT_OFF)
            log.error("submission %s is held: %s", entry.subject, away)  # noqa: TRY400  the message says it all
            continue
        else:
            with db.write() as connection:
                queue.release(connection, KIND, entry.subject, clock.now())
        decided += 1
    return decided


def _refuse(db: Database, reference: str, clock: Clock, tenants: Tenants, outcome: str) -> None:
    log.warning("submission %s: %s", reference, outcome)
    template = "unsafe" if outcome in _OF_THE_FILE else "refused"
    with db.write() as connection:
        if queue.kill(connection, KIND, reference, clock.now(), outcome):
            tell_of_the_dead(connection, tenants, reference, clock.now(), template=template)
