"""Tables of deliveries, uploads, the outbox with its channels, and mails."""

import sqlalchemy as sa
from alembic import op


def create() -> None:
    """Create the tables of delivery/envelopes, delivery/uploads, background/outbox and background/mails."""
    _deliveries()
    _uploads()
    _outbox()
    _letters()


def _deliveries() -> None:
    instant = sa.BigInteger
    op.create_table(
        "deliveries",
        sa.Column("reference", sa.String(32), primary_key=True),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("tenant", sa.String(50), nullable=False),
        sa.Column("form_id", sa.String(32), nullable=False),
        sa.Column("content", sa.String(64), nullable=False),
        sa.Column("person", sa.String(64), nullable=False),
        sa.Column("about", sa.String(100), nullable=False),
        sa.Column("title", sa.Text),
        sa.Column("locale", sa.String(20), nullable=False),
        sa.Column("accepted_at", instant, nullable=False),
        sa.Column("delivered_at", instant),
        sa.Column("withdrawn_at", instant),
        sa.Column("erased_at", instant),
        sa.Column("duplicate_of", sa.String(32)),
        sa.Column("consent", sa.String(64)),
        sa.Column("ended", sa.String(12)),
        sa.Column("outcome", sa.String(40)),
        sa.Column("sealed", sa.Text),
        sa.UniqueConstraint("tenant", "kind", "form_id", name="uq_deliveries_tenant_kind_form_id"),
    )
    op.create_index("ix_deliveries_accepted_at", "deliveries", ["accepted_at", "reference"])
    op.create_index("ix_deliveries_content", "deliveries", ["tenant", "content"])
    op.create_index("ix_deliveries_person", "deliveries", ["tenant", "person"])
    op.create_index("ix_deliveries_about", "deliveries", ["tenant", "about", "person"])
    op.create_index("ix_deliveries_duplicate_of", "deliveries", ["duplicate_of"])
    discarded = sa.text("ended = 'discarded'")
    op.create_index(
        "ix_deliveries_discarded", "deliveries", ["reference"], sqlite_where=discarded, postgresql_where=discarded
    )
    op.create_table(
        "consents",
        sa.Column("tenant", sa.String(50), primary_key=True),
        sa.Column("version", sa.String(64), primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("first_given_at", instant, nullable=False),
    )


def _uploads() -> None:
    instant = sa.BigInteger
    op.create_table(
        "uploads",
        sa.Column("handle", sa.String(32), primary_key=True),
        sa.Column("tenant", sa.String(50), nullable=False),
        sa.Column("form_id", sa.String(32), nullable=False),
        sa.Column("key", sa.String(100), nullable=False),
        sa.Column("sealed", sa.Text, nullable=False),
        sa.Column("media_type", sa.String(100), nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("etag", sa.String(100)),
        sa.Column("created_at", instant, nullable=False),
        sa.Column("stored_at", instant),
        sa.Column("claimed_by", sa.String(32)),
    )
    unclaimed = sa.text("claimed_by IS NULL")
    op.create_index(
        "ix_uploads_unclaimed", "uploads", ["created_at"], sqlite_where=unclaimed, postgresql_where=unclaimed
    )
    op.create_index("ix_uploads_claimed_by", "uploads", ["claimed_by"])


def _outbox() -> None:
    instant = sa.BigInteger
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
    for name, columns, condition in (
        ("claimable", ["due_at", "id"], "state IN ('due', 'retry', 'ambiguous')"),
        ("held", ["due_at", "id"], "state = 'held'"),
        ("sending", ["lease_until"], "state = 'sending'"),
        ("settled", ["settled_at"], "settled_at IS NOT NULL"),
    ):
        where = sa.text(condition)
        op.create_index(f"ix_outbox_{name}", "outbox", columns, sqlite_where=where, postgresql_where=where)
    op.create_index("ix_outbox_order_key", "outbox", ["tenant", "order_key"])
    op.create_table(
        "outbox_lanes",
        sa.Column("lane", sa.String(100), primary_key=True),
        sa.Column("failures", sa.Integer, nullable=False, server_default="0"),
        sa.Column("paused_until", instant),
        sa.Column("broken_since", instant),
        sa.Column("reason", sa.String(40)),
    )


def _letters() -> None:
    instant = sa.BigInteger
    op.create_table(
        "letters",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("tenant", sa.String(50), nullable=False),
        sa.Column("template", sa.String(40), nullable=False),
        sa.Column("locale", sa.String(20), nullable=False),
        sa.Column("recipient", sa.String(64), nullable=False),
        sa.Column("about", sa.String(32)),
        sa.Column("sealed", sa.Text),
        sa.Column("created_at", instant, nullable=False),
        sa.Column("due_at", instant, nullable=False),
        sa.Column("settled_at", instant),
    )
    op.create_index("ix_letters_tenant_template", "letters", ["tenant", "template", "due_at"])
    op.create_index("ix_letters_recipient", "letters", ["tenant", "recipient"])
    op.create_index("ix_letters_about", "letters", ["about"])
