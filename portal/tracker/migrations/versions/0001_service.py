"""Every table of the service."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create them."""
    op.create_table(
        "tenants",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(length=50), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("last_turn", sa.BigInteger(), nullable=False),
        sa.Column("cursor_secret", sa.String(length=64), nullable=False),
        sa.Column("board", sa.Text(), nullable=False),
        sa.Column("first_stage", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tenants")),
        sa.UniqueConstraint("slug", name=op.f("uq_tenants_slug")),
    )
    op.create_table(
        "addresses",
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("email", sa.String(length=320), nullable=False),
        sa.Column("candidate_id", sa.String(length=200), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name=op.f("fk_addresses_tenant_id_tenants")),
        sa.PrimaryKeyConstraint("tenant_id", "email", "candidate_id", name=op.f("pk_addresses")),
    )
    op.create_index("ix_addresses_candidate", "addresses", ["tenant_id", "candidate_id"], unique=False)
    op.create_table(
        "answered",
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name=op.f("fk_answered_tenant_id_tenants")),
        sa.PrimaryKeyConstraint("tenant_id", "key", name=op.f("pk_answered")),
    )
    op.create_index(op.f("ix_answered_at"), "answered", ["at"], unique=False)
    op.create_table(
        "applications",
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(length=200), nullable=False),
        sa.Column("turn", sa.BigInteger(), nullable=False),
        sa.Column("is_loaded", sa.Boolean(), nullable=False),
        sa.Column("vacancy_id", sa.String(length=200), nullable=True),
        sa.Column("candidate_id", sa.String(length=200), nullable=True),
        sa.Column("stage_id", sa.String(length=200), nullable=True),
        sa.Column("is_rejected", sa.Boolean(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name=op.f("fk_applications_tenant_id_tenants")),
        sa.PrimaryKeyConstraint("tenant_id", "id", name=op.f("pk_applications")),
    )
    op.create_index("ix_applications_candidate", "applications", ["tenant_id", "candidate_id"], unique=False)
    op.create_index("ix_applications_vacancy", "applications", ["tenant_id", "vacancy_id", "turn"], unique=False)
    op.create_table(
        "candidates",
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(length=200), nullable=False),
        sa.Column("modified", sa.BigInteger(), nullable=False),
        sa.Column("edited", sa.BigInteger(), nullable=True),
        sa.Column("background", sa.Text(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name=op.f("fk_candidates_tenant_id_tenants")),
        sa.PrimaryKeyConstraint("tenant_id", "id", name=op.f("pk_candidates")),
    )
    op.create_index("uq_candidates_modified", "candidates", ["tenant_id", "modified"], unique=True)
    op.create_table(
        "client_people",
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(length=200), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name=op.f("fk_client_people_tenant_id_tenants")),
        sa.PrimaryKeyConstraint("tenant_id", "id", name=op.f("pk_client_people")),
    )
    op.create_table(
        "companies",
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(length=200), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name=op.f("fk_companies_tenant_id_tenants")),
        sa.PrimaryKeyConstraint("tenant_id", "id", name=op.f("pk_companies")),
    )
    op.create_table(
        "decoys",
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("filling", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name=op.f("fk_decoys_tenant_id_tenants")),
        sa.PrimaryKeyConstraint("tenant_id", name=op.f("pk_decoys")),
    )
    op.create_table(
        "keys",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name=op.f("fk_keys_tenant_id_tenants")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_keys")),
    )
    op.create_index(op.f("ix_keys_tenant_id"), "keys", ["tenant_id"], unique=False)
    op.create_table(
        "loads",
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("records", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name=op.f("fk_loads_tenant_id_tenants")),
        sa.PrimaryKeyConstraint("tenant_id", "fingerprint", name=op.f("pk_loads")),
    )
    op.create_table(
        "stages",
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(length=200), nullable=False),
        sa.Column("position", sa.Float(), nullable=False),
        sa.Column("template_id", sa.Text(), nullable=True),
        sa.Column("is_default", sa.Boolean(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name=op.f("fk_stages_tenant_id_tenants")),
        sa.PrimaryKeyConstraint("tenant_id", "id", name=op.f("pk_stages")),
    )
    op.create_table(
        "tallies",
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(length=200), nullable=False),
        sa.Column("counts", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name=op.f("fk_tallies_tenant_id_tenants")),
        sa.PrimaryKeyConstraint("tenant_id", "id", name=op.f("pk_tallies")),
    )
    op.create_table(
        "users",
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(length=200), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name=op.f("fk_users_tenant_id_tenants")),
        sa.PrimaryKeyConstraint("tenant_id", "id", name=op.f("pk_users")),
    )
    op.create_table(
        "vacancies",
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(length=200), nullable=False),
        sa.Column("modified", sa.BigInteger(), nullable=False),
        sa.Column("edited", sa.BigInteger(), nullable=True),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("totals", sa.Text(), nullable=True),
        sa.Column("more", sa.Text(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name=op.f("fk_vacancies_tenant_id_tenants")),
        sa.PrimaryKeyConstraint("tenant_id", "id", name=op.f("pk_vacancies")),
    )
    op.create_index("uq_vacancies_modified", "vacancies", ["tenant_id", "modified"], unique=True)
    op.create_table(
        "vacancy_stages",
        sa.Column("tenant_id", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(length=200), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name=op.f("fk_vacancy_stages_tenant_id_tenants")),
        sa.PrimaryKeyConstraint("tenant_id", "id", name=op.f("pk_vacancy_stages")),
    )
