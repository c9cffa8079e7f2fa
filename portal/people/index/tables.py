"""The index's tables; only this package writes them.

`key` is a keyed hash of tenant and candidate id: it finds a row without revealing whose it is. The id itself is sealed.
"""

import sqlalchemy as sa

from portal.platform.database.db import Instant, metadata

candidates = sa.Table(
    "candidates",
    metadata,
    sa.Column("row", sa.Integer, primary_key=True),
    sa.Column("tenant", sa.String(50), nullable=False),
    sa.Column("key", sa.String(64), nullable=False),
    sa.Column("sealed_id", sa.Text, nullable=False),
    sa.Column("modified_at", Instant),
    sa.UniqueConstraint("tenant", "key"),
)

candidate_addresses = sa.Table(
    "candidate_addresses",
    metadata,
    sa.Column("tenant", sa.String(50), nullable=False),
    sa.Column("candidate", sa.Integer, sa.ForeignKey("candidates.row", ondelete="CASCADE"), nullable=False),
    sa.Column("address", sa.String(64), nullable=False),
    sa.PrimaryKeyConstraint("candidate", "address"),
)
sa.Index("ix_candidate_addresses_address", candidate_addresses.c.tenant, candidate_addresses.c.address)

record_history = sa.Table(
    "record_history",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("tenant", sa.String(50), nullable=False),
    sa.Column("candidate", sa.String(64), nullable=False),
    sa.Column("address", sa.String(64), nullable=False),
    sa.Column("what", sa.String(20), nullable=False),
    sa.Column("reference", sa.String(32)),
    sa.Column("at", Instant, nullable=False),
)
sa.Index("ix_record_history_candidate", record_history.c.tenant, record_history.c.candidate)
sa.Index("ix_record_history_address", record_history.c.tenant, record_history.c.address)
sa.Index("ix_record_history_at", record_history.c.at)
