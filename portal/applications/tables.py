"""Submissions and uploads; written by this package alone.

Columns that hold personal data are null once a submission is purged; the rest stays, as the record of its delivery.
"""

import sqlalchemy as sa

from portal.db import Instant, metadata

submissions = sa.Table(
    "submissions",
    metadata,
    sa.Column("reference", sa.String(32), primary_key=True),
    sa.Column("tenant", sa.String(50), nullable=False),
    sa.Column("submission_id", sa.String(32), nullable=False),
    sa.Column("payload_hash", sa.String(64), nullable=False),
    sa.Column("email_hash", sa.String(64), nullable=False),
    sa.Column("posting_id", sa.String(100), nullable=False),
    sa.Column("posting_title", sa.Text, nullable=False),
    sa.Column("locale", sa.String(20), nullable=False),
    sa.Column("accepted_at", Instant, nullable=False),
    sa.Column("delivered_at", Instant),
    sa.Column("purged_at", Instant),
    sa.Column("withdrawn_at", Instant),
    sa.Column("duplicate_of", sa.String(32)),
    sa.Column("upload", sa.String(32)),
    sa.Column("attachment_key", sa.String(100)),
    sa.Column("first_name", sa.Text),
    sa.Column("last_name", sa.Text),
    sa.Column("email", sa.Text),
    sa.Column("phone_number", sa.Text),
    sa.Column("network_url", sa.Text),
    sa.Column("city", sa.Text),
    sa.Column("region", sa.Text),
    sa.Column("postal_code", sa.Text),
    sa.Column("country", sa.Text),
    sa.UniqueConstraint("tenant", "submission_id"),
)
sa.Index("ix_submissions_delivered_at", submissions.c.delivered_at)
sa.Index("ix_submissions_payload_hash", submissions.c.tenant, submissions.c.payload_hash)

PERSONAL = (
    "upload",
    "attachment_key",
    "first_name",
    "last_name",
    "email",
    "phone_number",
    "network_url",
    "city",
    "region",
    "postal_code",
    "country",
)
"""What purging sets to null."""

uploads = sa.Table(
    "uploads",
    metadata,
    sa.Column("handle", sa.String(32), primary_key=True),
    sa.Column("tenant", sa.String(50), nullable=False),
    sa.Column("form_id", sa.String(32), nullable=False),
    sa.Column("key", sa.String(100), nullable=False),
    sa.Column("filename", sa.Text, nullable=False),
    sa.Column("media_type", sa.String(100), nullable=False),
    sa.Column("size", sa.BigInteger, nullable=False),
    sa.Column("sha256", sa.String(64), nullable=False),
    sa.Column("etag", sa.String(100)),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("stored_at", Instant),
    sa.Column("claimed_by", sa.String(32)),
)
sa.Index("ix_uploads_created_at", uploads.c.created_at)
