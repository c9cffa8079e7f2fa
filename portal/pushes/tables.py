"""What search engines were told of each posting; written by this package alone."""

from enum import StrEnum

import sqlalchemy as sa

from portal.db import Instant, metadata


class Channel(StrEnum):
    """Whom a push goes to; also the kind of its row in the outbox."""

    INDEX_NOW = "index_now"
    GOOGLE = "google_index"


pushes = sa.Table(
    "pushes",
    metadata,
    sa.Column("tenant", sa.String(50), primary_key=True),
    sa.Column("channel", sa.String(20), primary_key=True),
    sa.Column("posting_id", sa.Text, primary_key=True),
    sa.Column("is_open", sa.Boolean, nullable=False),
    sa.Column("changed_at", Instant, nullable=False),
    sa.Column("batch", sa.String(32), nullable=False),
    sa.Index("ix_pushes_batch", "batch"),
)
"""The latest that is told or waits in the outbox of a posting. batch: the subject of its row there."""

push_looks = sa.Table(
    "push_looks",
    metadata,
    sa.Column("tenant", sa.String(50), primary_key=True),
    sa.Column("channel", sa.String(20), primary_key=True),
    sa.Column("version", sa.String(64), nullable=False),
)
"""The version of a tenant's mirror of which everything is in `pushes`; '' while something is left for later."""
