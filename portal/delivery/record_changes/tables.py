"""Changes of a profile's email addresses that can still be undone; only this package writes them.

Each address that is notified of a change has a row, because each gets a link of its own. token: keyed hash of the
link's token. address: keyed hash of the notified address. candidate: the key in the index. reference: the change's.
sealed: an undo_links.Undoable; null once the change is undone or final. undone_by: reference of the delivery that
undoes it. moved_at: when what the former address had sent was assigned to the new one.
"""

import sqlalchemy as sa

from portal.platform.database.db import Instant, metadata

address_undos = sa.Table(
    "address_undos",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("tenant", sa.String(50), nullable=False),
    sa.Column("candidate", sa.String(64), nullable=False),
    sa.Column("reference", sa.String(32), nullable=False),
    sa.Column("token", sa.String(64), nullable=False, unique=True),
    sa.Column("address", sa.String(64), nullable=False),
    sa.Column("sealed", sa.Text),
    sa.Column("accepted_at", Instant, nullable=False),
    sa.Column("expires_at", Instant, nullable=False),
    sa.Column("undone_by", sa.String(32)),
    sa.Column("moved_at", Instant),
)
_c = address_undos.c
sa.Index("ix_address_undos_candidate", _c.tenant, _c.candidate)
sa.Index("ix_address_undos_address", _c.tenant, _c.address)
sa.Index("ix_address_undos_reference", _c.reference)
sa.Index("ix_address_undos_undone_by", _c.undone_by)
sa.Index("ix_address_undos_expires_at", _c.expires_at)
