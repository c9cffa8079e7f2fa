"""The mirror's tables. Written by portal/vacancies alone, and only from what ingest.py lets through.

vacancies is narrow, because filters and counts read many of its rows; what only a page shows is in vacancy_texts.
The full-text index over vacancy_words (FTS5 or GIN) and its triggers are made by migrations: of SQLite's two, a search
reads vacancy_index, and the release before this one reads vacancy_fts.
"""

from datetime import UTC, datetime
from enum import StrEnum

import sqlalchemy as sa

from portal.db import Instant, metadata

ALWAYS = datetime(1, 1, 2, tzinfo=UTC)
"""`opens_at` of a vacancy without startAt."""
NEVER = datetime(9999, 12, 30, tzinfo=UTC)
"""`closes_at` of a vacancy without endAt."""

BINARY_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
"""Text that sorts by its bytes on every database."""


class Publication(StrEnum):
    """What the tenant's rule says of a vacancy, its dates aside."""

    PUBLIC = "public"
    STAGE = "stage"
    """Its stage is not published."""
    UNUSABLE = "unusable"
    """Published by its stage, but without a posting id that an address can bear."""
    CLASH = "clash"
    """Another vacancy claims the same posting id: neither is public."""
    GONE = "gone"
    """The service no longer has it."""


vacancies = sa.Table(
    "vacancies",
    metadata,
    sa.Column("row", sa.Integer, primary_key=True),
    sa.Column("tenant", sa.String(50), nullable=False),
    sa.Column("vacancy_id", BINARY_TEXT, nullable=False),
    sa.Column("posting_id", sa.Text),
    sa.Column("publication", sa.String(10), nullable=False),
    sa.Column("was_open", sa.Boolean, nullable=False),
    sa.Column("stage", sa.Text, nullable=False),
    sa.Column("country", sa.Text, nullable=False),
    sa.Column("city", sa.Text, nullable=False),
    sa.Column("employment_type", sa.Text, nullable=False),
    sa.Column("location_type", sa.Text, nullable=False),
    sa.Column("opens_at", Instant, nullable=False),
    sa.Column("closes_at", Instant, nullable=False),
    sa.Column("dated_at", Instant, nullable=False),
    sa.Column("x", sa.Double),
    sa.Column("y", sa.Double),
    sa.Column("z", sa.Double),
    sa.Column("attributes", sa.Text, nullable=False, server_default=""),
    sa.Column("fingerprint", sa.String(32), nullable=False),
    sa.Column("modified_at", Instant, nullable=False),
    sa.Column("area", sa.String(20)),
    sa.UniqueConstraint("tenant", "vacancy_id"),
    sa.Index("ix_vacancies_posting_id", "tenant", "posting_id"),
    sa.Index(
        "ix_vacancies_dated_at",
        *("tenant", "publication", "dated_at", "row", "opens_at", "closes_at"),
        *("stage", "country", "city", "employment_type", "location_type"),
    ),
    sa.Index("ix_vacancies_z", "tenant", "publication", "z", "x", "y"),
    sa.Index("ix_vacancies_area", "tenant", "publication", "country", "location_type", "area"),
    sa.Index("ix_vacancies_opens_at", "tenant", "publication", "opens_at"),
    sa.Index("ix_vacancies_closes_at", "tenant", "publication", "closes_at"),
)
"""area: code of its region (regions.py), NULL where it is not known or was stored by the release before."""

vacancy_former_ids = sa.Table(
    "vacancy_former_ids",
    metadata,
    sa.Column("tenant", sa.String(50), primary_key=True),
    sa.Column("posting_id", sa.Text, primary_key=True),
    sa.Column("row", sa.ForeignKey("vacancies.row", ondelete="CASCADE"), nullable=False),
)
"""Posting ids that were public and are no more, because the rule, the attribute or the stage changed; and whose."""

vacancy_texts = sa.Table(
    "vacancy_texts",
    metadata,
    sa.Column("row", sa.ForeignKey("vacancies.row", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("description", sa.Text, nullable=False),
    sa.Column("plain", sa.Text, nullable=False),
    sa.Column("language", sa.String(3), nullable=False),
    sa.Column("region", sa.Text),
    sa.Column("postal_code", sa.Text),
    sa.Column("street", sa.Text),
    sa.Column("latitude", sa.Double),
    sa.Column("longitude", sa.Double),
    sa.Column("created_at", Instant),
    sa.Column("start_at", Instant),
    sa.Column("end_at", Instant),
    sa.Column("salary_currency", sa.Text),
    sa.Column("salary_low", sa.Double),
    sa.Column("salary_high", sa.Double),
    sa.Column("client", sa.Text),
)

vacancy_words = sa.Table(
    "vacancy_words",
    metadata,
    sa.Column("row", sa.ForeignKey("vacancies.row", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    sa.Column("words", sa.Text, nullable=False),
    sa.Column("title", sa.Text, nullable=False),
)
"""Normalised words of what is public by rule: each once, single spaces between. `words` has the title's too."""

vacancy_vocabulary = sa.Table(
    "vacancy_vocabulary",
    metadata,
    sa.Column("tenant", sa.String(50), primary_key=True),
    sa.Column("word", BINARY_TEXT, primary_key=True),
)
"""Words that a tenant's public postings ever had, to find what a misspelt one meant."""

vacancy_cells = sa.Table(
    "vacancy_cells",
    metadata,
    sa.Column("tenant", sa.String(50), primary_key=True),
    sa.Column("country", sa.Text, primary_key=True),
    sa.Column("city", sa.Text, primary_key=True),
    sa.Column("employment_type", sa.Text, primary_key=True),
    sa.Column("location_type", sa.Text, primary_key=True),
    sa.Column("n", sa.Integer, nullable=False),
)
"""How many postings were open at mirrors.counted_at, by every combination of filter values; '' where one is missing."""

vacancy_totals = sa.Table(
    "vacancy_totals",
    metadata,
    sa.Column("tenant", sa.String(50), primary_key=True),
    sa.Column("facet", sa.String(20), primary_key=True),
    sa.Column("value", sa.Text, primary_key=True),
    sa.Column("n", sa.Integer, nullable=False),
    sa.Index("ix_vacancy_totals_n", "tenant", "facet", "n"),
)
"""The sums by one filter, for the list that nothing narrows. A value that came to 0 stays known.

facet: one of FACETS, an attribute's key, "place" (country, a line break and city) or "total".
"""

vacancy_problems = sa.Table(
    "vacancy_problems",
    metadata,
    sa.Column("tenant", sa.String(50), primary_key=True),
    sa.Column("vacancy_id", sa.Text, primary_key=True),
    sa.Column("problem", sa.Text, nullable=False),
    sa.Column("since", Instant, nullable=False),
)
"""Records that were set aside; one without an id is under '?' and its number."""

mirrors = sa.Table(
    "mirrors",
    metadata,
    sa.Column("tenant", sa.String(50), primary_key=True),
    sa.Column("version", sa.BigInteger, nullable=False),
    sa.Column("judged_by", sa.String(32)),
    sa.Column("counted_at", Instant, nullable=False),
)
"""One row a tenant. version: grows with every public change. judged_by: hash of the stages that publications and counts
are by. counted_at: the instant of the counts.
"""
