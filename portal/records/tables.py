"""Changes, history and requests; written by this package alone. Sealed columns are null once they are of no use."""

import sqlalchemy as sa

from portal.db import Instant, metadata

record_changes = sa.Table(
    "record_changes",
    metadata,
    sa.Column("reference", sa.String(32), primary_key=True),
    sa.Column("tenant", sa.String(50), nullable=False),
    sa.Column("form_id", sa.String(32), nullable=False),
    sa.Column("candidate", sa.String(64), nullable=False),
    sa.Column("address", sa.String(64), nullable=False),
    sa.Column("locale", sa.String(20), nullable=False),
    sa.Column("based_on", sa.String(64), nullable=False),
    sa.Column("based_at", Instant),
    sa.Column("accepted_at", Instant, nullable=False),
    sa.Column("delivered_at", Instant),
    sa.Column("overtaken_at", Instant),
    sa.Column("sealed_candidate", sa.Text),
    sa.Column("sealed_body", sa.Text),
    sa.Column("sealed_address", sa.Text),
    sa.UniqueConstraint("tenant", "form_id"),
)
sa.Index("ix_record_changes_candidate", record_changes.c.tenant, record_changes.c.candidate)

SEALED = ("sealed_candidate", "sealed_body", "sealed_address")
"""What is set to null once a change is settled."""

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
sa.Index("ix_record_history_at", record_history.c.at)

owed_requests = sa.Table(
    "owed_requests",
    metadata,
    sa.Column("reference", sa.String(32), primary_key=True),
    sa.Column("tenant", sa.String(50), nullable=False),
    sa.Column("kind", sa.String(10), nullable=False),
    sa.Column("about", sa.String(32)),
    sa.Column("address", sa.String(64), nullable=False),
    sa.Column("sealed_address", sa.Text),
    sa.Column("locale", sa.String(20), nullable=False),
    sa.Column("asked_at", Instant, nullable=False),
    sa.Column("due_at", Instant, nullable=False),
    sa.Column("done_at", Instant),
)
sa.Index("ix_owed_requests_address", owed_requests.c.tenant, owed_requests.c.address)
