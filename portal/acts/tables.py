"""The audit log; written by this package alone, line by line, and never changed.

reference: of a delivery or an owed request, where one was named. way: the desk, or a command.
"""

import sqlalchemy as sa

from portal.db import Instant, metadata

audit_log = sa.Table(
    "audit_log",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("at", Instant, nullable=False),
    sa.Column("who", sa.String(100), nullable=False),
    sa.Column("way", sa.String(10), nullable=False),
    sa.Column("what", sa.String(20), nullable=False),
    sa.Column("reference", sa.String(32)),
    sa.Column("tenant", sa.String(50)),
    sa.Column("outcome", sa.String(10), nullable=False),
)
sa.Index("ix_audit_log_reference", audit_log.c.reference)
sa.Index("ix_audit_log_at", audit_log.c.at)
