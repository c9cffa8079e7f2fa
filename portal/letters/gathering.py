"""Letters that go out together, because the mailbox had its share of them for the day.

Each stays a letter of its own: withdrawn, erased and shown to its person as any other. One more row, the gathering, is
what the outbox knows, and is due when the next letter may go. A letter joins the gathering that still waits, and holds
its row in the outbox meanwhile: so whoever sends it has either found the letter or is not allowed to begin.
"""

from dataclasses import dataclass, field

import sqlalchemy as sa

from portal.letters.allowance import GATHERED
from portal.letters.tables import letters
from portal.outbox.states import CLAIMABLE
from portal.outbox.tables import outbox
from portal.sealing import Seal, mailbox_hashes, reader_hashes

APPLICATIONS = frozenset({"receipt", "confirm", "refused", "unsafe"})
"""Letters that anybody can have written to any address, by applying in its name. `gathered` has words for each."""
_LISTED = 100
"""More is nobody's evening of applying; the letter says how many it leaves out."""
_c = letters.c


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a gathering says: in the language and name of the latest, to the address of the latest.

    letters: oldest first, each the tenant's slug, its template and its sealed content. more: how many are left out.
    """

    tenant: str
    locale: str
    letters: list[tuple[str, str, str]] = field(repr=False)
    more: int

    @property
    def several(self) -> bool:
        """Whether it speaks of more than one company."""
        return len({tenant for tenant, _, _ in self.letters}) > 1


def waiting(connection: sa.Connection, seal: Seal, kind: str, *, recipient: str) -> str | None:
    """The gathering that waits for this address's reader; nobody takes it in hand until this transaction ends."""
    o = outbox.c
    query = (
        sa.select(_c.id)
        .join(outbox, sa.and_(o.kind == kind, o.subject == _c.id))
        .where(
            _c.mailbox.in_(mailbox_hashes(seal, recipient)),
            _c.gathering.is_(None),
            _c.recipient.in_(reader_hashes(seal, recipient)),
            _c.template == GATHERED,
            _c.settled_at.is_(None),
            o.state.in_(CLAIMABLE),
        )
        .order_by(_c.due_at)
        .limit(1)
        .with_for_update(of=outbox, skip_locked=True)
    )
    found = connection.execute(query).scalar()
    return None if found is None else str(found)


def opened(connection: sa.Connection, gathering: str) -> Gathered | None:
    """What it says; None if all of it was withdrawn."""
    said = sa.and_(_c.gathering == gathering, _c.sealed.is_not(None))
    query = sa.select(letters).where(said).order_by(_c.created_at.desc(), _c.id).limit(_LISTED)
    rows = connection.execute(query).all()
    if not rows:
        return None
    count = connection.execute(sa.select(sa.func.count()).where(said)).scalar_one()
    listed = [(row.tenant, row.template, row.sealed) for row in reversed(rows)]
    return Gathered(rows[0].tenant, rows[0].locale, listed, count - len(rows))


def waits(connection: sa.Connection, *, about: str) -> bool:
    """Whether a letter about this delivery will go out in a gathering."""
    query = sa.select(_c.id).where(_c.about == about, _c.gathering.is_not(None), _c.sealed.is_not(None))
    return connection.execute(query.limit(1)).first() is not None
