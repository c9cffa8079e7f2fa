"""Creates every table of the service."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "tenants",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("slug", sa.String(50), nullable=False, unique=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("last_turn", sa.BigInteger, nullable=False),
        sa.Column("cursor_secret", sa.String(64), nullable=False),
        sa.Column("board", sa.Text, nullable=False),
        sa.Column("first_stage", sa.Text, nullable=False),
    )
    op.create_table(
        "addresses",
        _tenant(),
        sa.Column("email", sa.String(320), primary_key=True),
        sa.Column("candidate_id", sa.String(200), primary_key=True),
        sa.Column("since", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_addresses_candidate", "addresses", ["tenant_id", "candidate_id"])
    op.create_table(
        "answered",
        _tenant(),
        sa.Column("key", sa.String(255), primary_key=True),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("status", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.create_index(op.f("ix_answered_at"), "answered", ["at"])
    _records(
        "applications",
        sa.Column("turn", sa.BigInteger, nullable=False),
        sa.Column("is_loaded", sa.Boolean, nullable=False),
        sa.Column("vacancy_id", sa.String(200)),
        sa.Column("candidate_id", sa.String(200)),
        sa.Column("stage_id", sa.String(200)),
        sa.Column("is_rejected", sa.Boolean, nullable=False),
    )
    op.create_index("ix_applications_candidate", "applications", ["tenant_id", "candidate_id"])
    op.create_index("ix_applications_vacancy", "applications", ["tenant_id", "vacancy_id", "turn"])
    _records(
        "candidates",
        sa.Column("modified", sa.BigInteger, nullable=False),
        sa.Column("edited", sa.BigInteger),
        sa.Column("background", sa.Text, nullable=False),
    )
    op.create_index("uq_candidates_modified", "candidates", ["tenant_id", "modified"], unique=True)
    _records("client_people")
    _records("companies")
    op.create_table("decoys", _tenant(), sa.Column("filling", sa.Text, nullable=False))
    op.create_table(
        "keys",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("tenant_id", sa.Integer, sa.ForeignKey("tenants.id"), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("revoked_at", sa.BigInteger),
    )
    op.create_index(op.f("ix_keys_tenant_id"), "keys", ["tenant_id"])
    op.create_table(
        "loads",
        _tenant(),
        sa.Column("fingerprint", sa.String(64), primary_key=True),
        sa.Column("records", sa.Integer, nullable=False),
    )
    _records(
        "stages",
        sa.Column("position", sa.Float, nullable=False),
        sa.Column("template_id", sa.Text),
        sa.Column("is_default", sa.Boolean, nullable=False),
    )
    op.create_table("tallies", _tenant(), _id(), sa.Column("counts", sa.Text, nullable=False))
    _records("users")
    _records(
        "vacancies",
        sa.Column("modified", sa.BigInteger, nullable=False),
        sa.Column("edited", sa.BigInteger),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("totals", sa.Text),
        sa.Column("more", sa.Text, nullable=False),
    )
    op.create_index("uq_vacancies_modified", "vacancies", ["tenant_id", "modified"], unique=True)
    _records(
        "vacancy_stages",
        sa.Column("name", sa.Text, nullable=False),
    )


def _tenant() -> sa.Column[int]:
    return sa.Column("tenant_id", sa.Integer, sa.ForeignKey("tenants.id"), primary_key=True)


def _id() -> sa.Column[str]:
    return sa.Column("id", sa.String(200), primary_key=True)


def _records(name: str, *facts: sa.Column[Any]) -> None:
    """Create a table of JSON records, with columns for the facts that queries need."""
    op.create_table(name, _tenant(), _id(), *facts, sa.Column("record", sa.Text, nullable=False))
