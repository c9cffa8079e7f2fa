"""Held submissions: released when the scanner has seen their CV, dead when it names a threat. Down is not clean."""

import logging
from typing import Any

import sqlalchemy as sa

from portal.applications.accept import KIND
from portal.applications.tables import submissions
from portal.attachments.scanner import Scanner
from portal.attachments.store import Store
from portal.clock import Clock
from portal.db import Database
from portal.errors import AttachmentMissing, Infected
from portal.letters import queue as letters
from portal.outbox import queue
from portal.outbox.states import State

log = logging.getLogger(__name__)


def scan_held(db: Database, store: Store, scanner: Scanner, clock: Clock) -> int:
    """Scan what is held, oldest first; returns how many were decided.

    Raises ScannerUnavailable or StoreUnavailable at the first file that cannot be looked at: it and the rest stay held.
    """
    with db.read() as connection:
        waiting = queue.entries(connection, KIND, states=[State.HELD], limit=100)
    for entry in waiting:
        with db.read() as connection:
            row = connection.execute(sa.select(submissions).where(submissions.c.reference == entry.subject)).one()
        try:
            with store.open(row.attachment_key) as body:
                scanner.scan(body)
        except (Infected, AttachmentMissing) as threat:
            log.warning("submission %s: %s", entry.subject, type(threat).__name__)
            _refuse(db, entry.subject, row, clock, type(threat).__name__)
        else:
            with db.write() as connection:
                queue.release(connection, KIND, entry.subject, clock.now())
    return len(waiting)


def _refuse(db: Database, reference: str, row: sa.Row[Any], clock: Clock, outcome: str) -> None:
    said = row._mapping
    with db.write() as connection:
        if queue.kill(connection, KIND, reference, clock.now(), outcome):
            letters.send(
                connection,
                tenant=said["tenant"],
                template="unsafe",
                locale=said["locale"],
                recipient=said["email"],
                facts={"title": said["posting_title"], "reference": reference},
                now=clock.now(),
            )
