"""What is forgotten, and when: the portal's copy of what is over. The file of what was delivered is the service's now.

What is over is found by its row in the outbox, and that row leaves with it: both stay as small as what is in hand.
"""

from datetime import timedelta
from itertools import groupby
from operator import attrgetter

import sqlalchemy as sa

from portal.clock import Clock
from portal.db import Database
from portal.deliveries.kinds import Kinds
from portal.deliveries.person import end
from portal.deliveries.tables import ERASED, deliveries
from portal.letters import queue as letters
from portal.outbox import queue
from portal.outbox.states import FINISHED, State
from portal.uploads import claims

_BATCH = 500


def purge(db: Database, kinds: Kinds, *, after: float, clock: Clock) -> int:
    """Erase what was delivered or given up more than `after` seconds ago; returns how many deliveries.

    With one go the letters about it that could not be sent yet: they hold its address.
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
                last = State.PURGED if state is State.DELIVERED else state
                end(connection, kind, [one.subject for one in ones], last, outcome)
        purged += len(over)
