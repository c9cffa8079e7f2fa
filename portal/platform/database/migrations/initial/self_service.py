"""Tables of the candidate index and its history, of sign-in codes and sessions, and of privacy requests."""

import sqlalchemy as sa
from alembic import op


def create() -> None:
    """Create the tables of people/index, people/signin and delivery/privacy_requests."""
    _index()
    _signing_in()
    _history()
    _requests()


def _index() -> None:
    instant = sa.BigInteger
    op.create_table(
        "candidates",
        sa.Column("row", sa.Integer, primary_key=True),
        sa.Column("tenant", sa.String(50), nullable=False),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("sealed_id", sa.Text, nullable=False),
        sa.Column("modified_at", instant),
        sa.UniqueConstraint("tenant", "key", name="uq_candidates_tenant_key"),
    )
    op.create_table(
        "candidate_addresses",
        sa.Column("tenant", sa.String(50), nullable=False),
        sa.Column("candidate", sa.Integer, sa.ForeignKey("candidates.row", ondelete="CASCADE"), nullable=False),
        sa.Column("address", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("candidate", "address"),
    )
    op.create_index("ix_candidate_addresses_address", "candidate_addresses", ["tenant", "address"])


def _signing_in() -> None:
    instant = sa.BigInteger
    op.create_table(
        "code_requests",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("tenant", sa.String(50), nullable=False),
        sa.Column("purpose", sa.String(10), nullable=False),
        sa.Column("holder", sa.String(64), nullable=False),
        sa.Column("address", sa.String(64), nullable=False),
        sa.Column("sealed_address", sa.Text, nullable=False),
        sa.Column("locale", sa.String(20), nullable=False),
        sa.Column("asked_at", instant, nullable=False),
        sa.Column("expires_at", instant, nullable=False),
        sa.Column("code", sa.String(64)),
        sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
        sa.Column("used_at", instant),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_code_requests_holder", "code_requests", ["tenant", "holder"])
    op.create_index("ix_code_requests_address", "code_requests", ["tenant", "address"])
    op.create_table(
        "sessions",
        sa.Column("token", sa.String(64), primary_key=True),
        sa.Column("tenant", sa.String(50), nullable=False),
        sa.Column("address", sa.String(64), nullable=False),
        sa.Column("sealed_address", sa.Text, nullable=False),
        sa.Column("candidate", sa.String(64)),
        sa.Column("opened_at", instant, nullable=False),
        sa.Column("used_at", instant, nullable=False),
    )
    op.create_index("ix_sessions_address", "sessions", ["tenant", "address"])


def _history() -> None:
    instant = sa.BigInteger
    op.create_table(
        "record_history",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("tenant", sa.String(50), nullable=False),
        sa.Column("candidate", sa.String(64), nullable=False),
        sa.Column("address", sa.String(64), nullable=False),
        sa.Column("what", sa.String(20), nullable=False),
        sa.Column("reference", sa.String(32)),
        sa.Column("at", instant, nullable=False),
    )
    op.create_index("ix_record_history_candidate", "record_history", ["tenant", "candidate"])
    op.create_index("ix_record_history_address", "record_history", ["tenant", "address"])
    op.create_index("ix_record_history_at", "record_history", ["at"])


def _requests() -> None:
    instant = sa.BigInteger
    op.create_table(
        "owed_requests",
        sa.Column("reference", sa.String(32), primary_key=True),
        sa.Column("tenant", sa.String(50), nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("about", sa.String(32)),
        sa.Column("address", sa.String(64), nullable=False),
        sa.Column("sealed_address", sa.Text),
        sa.Column("locale", sa.String(20), nullable=False),
        sa.Column("asked_at", instant, nullable=False),
        sa.Column("due_at", instant, nullable=False),
        sa.Column("done_at", instant),
    )
    op.create_index("ix_owed_requests_address", "owed_requests", ["tenant", "address"])
    unanswered = sa.text("done_at IS NULL")
    op.create_index(
        "ix_owed_requests_open", "owed_requests", ["due_at"], sqlite_where=unanswered, postgresql_where=unanswered
    )
