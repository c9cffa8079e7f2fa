"""Submissions, uploads, outbox and its lanes, letters."""

import sqlalchemy as sa
from alembic import op


def create() -> None:
    """Create the tables of applications/, outbox/ and letters/."""
    instant = sa.BigInteger
    op.create_table(
        "submissions",
        sa.Column("reference", sa.String(32), primary_key=True),
        sa.Column("tenant", sa.String(50), nullable=False),
        sa.Column("submission_id", sa.String(32), nullable=False),
        sa.Column("payload_hash", sa.String(64), nullable=False),
        sa.Column("email_hash", sa.String(64), nullable=False),
        sa.Column("posting_id", sa.String(100), nullable=False),
        sa.Column("posting_title", sa.Text, nullable=False),
        sa.Column("locale", sa.String(20), nullable=False),
        sa.Column("accepted_at", instant, nullable=False),
        sa.Column("delivered_at", instant),
        sa.Column("purged_at", instant),
        sa.Column("withdrawn_at", instant),
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
        sa.UniqueConstraint("tenant", "submission_id", name="uq_submissions_tenant_submission_id"),
    )
    op.create_index("ix_submissions_delivered_at", "submissions", ["delivered_at"])
    op.create_index("ix_submissions_payload_hash", "submissions", ["tenant", "payload_hash"])
    op.create_table(
        "uploads",
        sa.Column("handle", sa.String(32), primary_key=True),
        sa.Column("tenant", sa.String(50), nullable=False),
        sa.Column("form_id", sa.String(32), nullable=False),
        sa.Column("key", sa.String(100), nullable=False),
        sa.Column("filename", sa.Text, nullable=False),
        sa.Column("media_type", sa.String(100), nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("etag", sa.String(100)),
        sa.Column("created_at", instant, nullable=False),
        sa.Column("stored_at", instant),
        sa.Column("claimed_by", sa.String(32)),
    )
    op.create_index("ix_uploads_created_at", "uploads", ["created_at"])
    op.create_table(
        "outbox",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("subject", sa.String(64), nullable=False),
        sa.Column("tenant", sa.String(50), nullable=False),
        sa.Column("lane", sa.String(100), nullable=False),
        sa.Column("order_key", sa.String(64)),
        sa.Column("state", sa.String(12), nullable=False),
        sa.Column("due_at", instant, nullable=False),
        sa.Column("lease_until", instant),
        sa.Column("fence", sa.Integer, nullable=False, server_default="0"),
        sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
        sa.Column("refusals", sa.Integer, nullable=False, server_default="0"),
        sa.Column("maybe_arrived", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("created_at", instant, nullable=False),
        sa.Column("settled_at", instant),
        sa.Column("outcome", sa.String(40)),
        sa.UniqueConstraint("kind", "subject", name="uq_outbox_kind_subject"),
    )
    op.create_index("ix_outbox_state_due_at", "outbox", ["state", "due_at"])
    claimable = sa.text("state IN ('due', 'retry', 'ambiguous')")
    op.create_index(
        "ix_outbox_claimable", "outbox", ["due_at", "id"], sqlite_where=claimable, postgresql_where=claimable
    )
    op.create_index("ix_outbox_state_lease_until", "outbox", ["state", "lease_until"])
    op.create_index("ix_outbox_order_key", "outbox", ["tenant", "order_key"])
    op.create_table(
        "outbox_lanes",
        sa.Column("lane", sa.String(100), primary_key=True),
        sa.Column("failures", sa.Integer, nullable=False, server_default="0"),
        sa.Column("paused_until", instant),
        sa.Column("broken_since", instant),
        sa.Column("reason", sa.String(40)),
    )
    op.create_table(
        "letters",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("tenant", sa.String(50), nullable=False),
        sa.Column("template", sa.String(40), nullable=False),
        sa.Column("locale", sa.String(20), nullable=False),
        sa.Column("recipient", sa.Text),
        sa.Column("facts", sa.Text),
        sa.Column("created_at", instant, nullable=False),
        sa.Column("due_at", instant, nullable=False),
        sa.Column("settled_at", instant),
    )
    op.create_index("ix_letters_tenant_template", "letters", ["tenant", "template", "created_at"])
