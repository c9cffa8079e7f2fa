"""The tables of uploads; only this package writes them.

A file's name and SHA-256 are sealed; its storage key is secret.
"""

import sqlalchemy as sa

from portal.platform.database.db import Instant, metadata

uploads = sa.Table(
    "uploads",
    metadata,
    sa.Column("handle", sa.String(32), primary_key=True),
    sa.Column("tenant", sa.String(50), nullable=False),
    sa.Column("form_id", sa.String(32), nullable=False),
    sa.Column("key", sa.String(100), nullable=False),
    sa.Column("sealed", sa.Text, nullable=False),
    sa.Column("media_type", sa.String(100), nullable=False),
    sa.Column("size", sa.BigInteger, nullable=False),
    sa.Column("etag", sa.String(100)),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("stored_at", Instant),
    sa.Column("claimed_by", sa.String(32)),
    sa.Column("pages", sa.Integer),
    sa.Column("unreadable", sa.Boolean, nullable=False, server_default=sa.false()),
)
_unclaimed = sa.text("claimed_by IS NULL")
sa.Index("ix_uploads_unclaimed", uploads.c.created_at, sqlite_where=_unclaimed, postgresql_where=_unclaimed)
sa.Index("ix_uploads_claimed_by", uploads.c.claimed_by)
sa.Index("ix_uploads_form", uploads.c.form_id)

asked = sa.Table(
    "asked_uploads",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("tenant", sa.String(50), nullable=False),
    sa.Column("form_id", sa.String(32), nullable=False),
    sa.Column("key", sa.String(100), nullable=False),
    sa.Column("sealed", sa.Text, nullable=False),
    sa.Column("size", sa.BigInteger),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("expires_at", Instant, nullable=False),
    sa.Column("checking_until", Instant),
    sa.Column("refused", sa.String(50)),
    sa.Column("handle", sa.String(32)),
    sa.Column("network", sa.String(32)),
    sa.Column("wide_network", sa.String(32)),
    sa.Column("charged", sa.BigInteger),
)
"""Files that browsers send directly to the storage: the row is written before the browser may send, so that every file
is found again.

network, wide_network: who announced it, as keyed hashes (see announcements). charged: bytes that count for the
network, announced and not sent; 0 once the file arrived, or certainly will not; NULL in rows of the previous release.
"""
sa.Index("ix_asked_uploads_created_at", asked.c.created_at)
sa.Index("ix_asked_uploads_form", asked.c.form_id)
sa.Index("ix_asked_uploads_wide_network", asked.c.wide_network)

refused_uploads = sa.Table(
    "refused_uploads",
    metadata,
    sa.Column("day", sa.String(10), primary_key=True),
    sa.Column("tenant", sa.String(50), primary_key=True),
    sa.Column("reason", sa.String(20), primary_key=True),
    sa.Column("count", sa.Integer, nullable=False),
)
"""day: in UTC, as ISO 8601."""
