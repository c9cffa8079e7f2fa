"""The service's tables, in a database of its own.

Records are stored as the JSON with which the interface responds, so a response needs no conversion and a loaded value
is returned unchanged. Columns beside the JSON hold the few facts that queries need. `modified` is a tenant's
modification time (revisions.py).
"""

from pathlib import Path

import sqlalchemy as sa

from portal.platform.database.db import NAMING, Database, Instant

metadata = sa.MetaData(naming_convention=NAMING)

ID = sa.String(200)

tenants = sa.Table(
    "tenants",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("slug", sa.String(50), nullable=False, unique=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("last_turn", Instant, nullable=False),
    sa.Column("cursor_secret", sa.String(64), nullable=False),
    sa.Column("board", sa.Text, nullable=False),
    sa.Column("first_stage", sa.Text, nullable=False),
)


def _tenant() -> sa.Column[int]:
    return sa.Column("tenant_id", sa.Integer, sa.ForeignKey("tenants.id"), primary_key=True)


def _id() -> sa.Column[str]:
    return sa.Column("id", ID, primary_key=True)


keys = sa.Table(
    "keys",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("tenant_id", sa.Integer, sa.ForeignKey("tenants.id"), nullable=False, index=True),
    sa.Column("hash", sa.String(64), nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("revoked_at", Instant),
)

companies = sa.Table("companies", metadata, _tenant(), _id(), sa.Column("record", sa.Text, nullable=False))

users = sa.Table("users", metadata, _tenant(), _id(), sa.Column("record", sa.Text, nullable=False))

client_people = sa.Table("client_people", metadata, _tenant(), _id(), sa.Column("record", sa.Text, nullable=False))

stages = sa.Table(
    "stages",
    metadata,
    _tenant(),
    _id(),
    sa.Column("position", sa.Float, nullable=False),
    sa.Column("template_id", sa.Text),
    sa.Column("is_default", sa.Boolean, nullable=False),
    sa.Column("record", sa.Text, nullable=False),
)

vacancy_stages = sa.Table(
    "vacancy_stages",
    metadata,
    _tenant(),
    _id(),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("record", sa.Text, nullable=False),
)

vacancies = sa.Table(
    "vacancies",
    metadata,
    _tenant(),
    _id(),
    sa.Column("modified", Instant, nullable=False),
    sa.Column("edited", Instant),
    sa.Column("status", sa.String(10), nullable=False),
    sa.Column("totals", sa.Text),
    sa.Column("more", sa.Text, nullable=False),
    sa.Column("record", sa.Text, nullable=False),
    sa.Index("uq_vacancies_modified", "tenant_id", "modified", unique=True),
)

tallies = sa.Table("tallies", metadata, _tenant(), _id(), sa.Column("counts", sa.Text, nullable=False))
"""Applications of a vacancy by stage: `{stage id: [loaded, received here]}`. Its own table because it changes often."""

candidates = sa.Table(
    "candidates",
    metadata,
    _tenant(),
    _id(),
    sa.Column("modified", Instant, nullable=False),
    sa.Column("edited", Instant),
    sa.Column("background", sa.Text, nullable=False),
    sa.Column("record", sa.Text, nullable=False),
    sa.Index("uq_candidates_modified", "tenant_id", "modified", unique=True),
)

addresses = sa.Table(
    "addresses",
    metadata,
    _tenant(),
    sa.Column("email", sa.String(320), primary_key=True),
    sa.Column("candidate_id", ID, primary_key=True),
    sa.Column("since", Instant, nullable=False),
    sa.Index("ix_addresses_candidate", "tenant_id", "candidate_id"),
)

applications = sa.Table(
    "applications",
    metadata,
    _tenant(),
    _id(),
    sa.Column("turn", Instant, nullable=False),
    sa.Column("is_loaded", sa.Boolean, nullable=False),
    sa.Column("vacancy_id", ID),
    sa.Column("candidate_id", ID),
    sa.Column("stage_id", ID),
    sa.Column("is_rejected", sa.Boolean, nullable=False),
    sa.Column("cv", sa.Text),
    sa.Column("record", sa.Text, nullable=False),
    sa.Index("ix_applications_vacancy", "tenant_id", "vacancy_id", "turn"),
    sa.Index("ix_applications_candidate", "tenant_id", "candidate_id"),
    sa.Index("ix_applications_cv", "tenant_id", "cv"),
)
"""cv: the attachment id that was submitted last; NULL if the application was loaded, or came to an earlier release."""

former_cvs = sa.Table(
    "former_cvs",
    metadata,
    _tenant(),
    sa.Column("candidate_id", ID, primary_key=True),
    sa.Column("key", sa.String(100), primary_key=True),
)
"""CVs that a candidate's record no longer lists, because later ones took their place: their files are still there."""

decoys = sa.Table(
    "decoys",
    metadata,
    sa.Column("tenant_id", sa.Integer, sa.ForeignKey("tenants.id"), primary_key=True),
    sa.Column("filling", sa.Text, nullable=False),
)

answered = sa.Table(
    "answered",
    metadata,
    _tenant(),
    sa.Column("key", sa.String(255), primary_key=True),
    sa.Column("applicant", sa.String(64)),
    sa.Column("fingerprint", sa.String(64), nullable=False),
    sa.Column("status", sa.Integer, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("at", Instant, nullable=False, index=True),
)
"""Responses by Idempotency-Key (idempotency.py).

applicant: NULL in rows of the previous release, whose keys were shared by a whole tenant.
"""

loads = sa.Table(
    "loads",
    metadata,
    _tenant(),
    sa.Column("fingerprint", sa.String(64), primary_key=True),
    sa.Column("records", sa.Integer, nullable=False),
)


MIGRATIONS = Path(__file__).parent / "migrations"


def open_database(url: str, *, timeout: float | None = None) -> Database:
    """Open the database at `sqlite:///…` or `postgresql+psycopg://…` and upgrade its schema unless that is newer.

    The service has no separate command for that. timeout: see Database.
    """
    database = Database(url, migrations=MIGRATIONS)
    database.upgrade()  # which may take longer
    if timeout is None:
        return database
    database.close()
    return Database(url, migrations=MIGRATIONS, timeout=timeout)
