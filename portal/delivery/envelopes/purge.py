"""Erase the portal's copy of finished deliveries. The file of a delivered one belongs to the service by then.

Finished deliveries are found by their outbox rows, which are removed with them: the outbox stays as small as the work
in progress.
"""

from datetime import timedelta
from itertools import groupby
from operator import attrgetter

import sqlalchemy as sa

from portal.background.mails import queue as letters
from portal.background.outbox import queue
from portal.background.outbox.states import FINISHED, OutboxState
from portal.delivery.envelopes.kinds import Kinds
from portal.delivery.envelopes.person import end
from portal.delivery.envelopes.tables import ERASED, deliveries
from portal.delivery.uploads import claims
from portal.platform.clock import Clock
from portal.platform.database.db import Database

_BATCH = 500


def purge(db: Database, kinds: Kinds, *, after: float, clock: Clock) -> int:
    """Erase what was delivered or discarded more than `after` seconds ago; return how many deliveries.

    Emails about them that could not be sent yet are withdrawn too: they contain the address.
    """
    now, purged = clock.now(), 0
    before = now - timedelta(seconds=after)
    while True:
        with db.read() as connection:
            over = queue.finished(connection, list(kinds), FINISHED, before=before, limit=_BATCH)
        if not over:
            return purged
        with db.write() as connection:
            references = [one.subject for one in over]
            c = deliveries.c
            connection.execute(
                deliveries.update()
                .where(c.reference.in_(references))
                .values(**ERASED, erased_at=sa.func.coalesce(c.erased_at, sa.literal(now, c.erased_at.type)))
            )
            claims.forget(connection, references)
            letters.withdraw(connection, about=references, now=now)
            alike = attrgetter("kind", "state", "outcome")
            for (kind, state, outcome), ones in groupby(sorted(over, key=lambda one: str(alike(one))), alike):
                last = OutboxState.PURGED if state is OutboxState.DELIVERED else state
                end(connection, kind, [one.subject for one in ones], last, outcome)
        purged += len(over)
