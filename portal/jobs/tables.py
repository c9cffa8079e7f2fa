"""Tables of the vacancy mirror. Only portal/jobs writes them, and only what the allow-list in ingest.py lets through.

vacancies has few columns, because filters and counts read many of its rows; what only a page shows is in vacancy_texts.
Migrations create the full-text index over vacancy_words (FTS5 or GIN) and its triggers. SQLite has two such indexes:
this release searches vacancy_index, the previous release vacancy_fts.
"""

from datetime import UTC, datetime
from enum import StrEnum

import sqlalchemy as sa

from portal.platform.database.db import Instant, metadata

ALWAYS = datetime(1, 1, 2, tzinfo=UTC)
"""`opens_at` of a vacancy that has no startAt."""
NEVER = datetime(9999, 12, 30, tzinfo=UTC)
"""`closes_at` of a vacancy that has no endAt."""

BINARY_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
"""Text that every database sorts by its bytes."""


class Publication(StrEnum):
    """Whether the tenant's rules publish a vacancy, whatever its dates."""

    PUBLIC = "public"
    STAGE = "stage"
    """The tenant does not publish its stage."""
    UNUSABLE = "unusable"
    """The tenant publishes its stage, but it has no posting id that can be part of a URL."""
    CLASH = "clash"
    """Another vacancy has the same posting id, so neither is public."""
    GONE = "gone"
    """The service no longer lists it."""


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
"""area: the code of its region (regions.py); NULL where it is unknown, or the previous release stored the row."""

vacancy_former_ids = sa.Table(
    "vacancy_former_ids",
    metadata,
    sa.Column("tenant", sa.String(50), primary_key=True),
    sa.Column("posting_id", sa.Text, primary_key=True),
    sa.Column("row", sa.ForeignKey("vacancies.row", ondelete="CASCADE"), nullable=False),
)
"""Former posting ids that were public, with their row; a change of the rule, attribute or stage replaced them."""

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
"""Normalised words of the postings that the rules publish: each word once, separated by single spaces.

`words` includes the words of the title.
"""

vacancy_vocabulary = sa.Table(
    "vacancy_vocabulary",
    metadata,
    sa.Column("tenant", sa.String(50), primary_key=True),
    sa.Column("word", BINARY_TEXT, primary_key=True),
)
"""Words that a tenant's public postings have or had, to correct misspelt words of a query."""

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
"""Number of postings open at mirrors.counted_at, by every combination of filter values; '' for a missing value."""

vacancy_totals = sa.Table(
    "vacancy_totals",
    metadata,
    sa.Column("tenant", sa.String(50), primary_key=True),
    sa.Column("facet", sa.String(20), primary_key=True),
    sa.Column("value", sa.Text, primary_key=True),
    sa.Column("n", sa.Integer, nullable=False),
    sa.Index("ix_vacancy_totals_n", "tenant", "facet", "n"),
)
"""Totals of vacancy_cells by one filter, for the list without filters. A value whose total fell to 0 keeps its row.

facet: one of FACETS, an attribute's key, "place" (country, line feed, city) or "total".
"""

vacancy_problems = sa.Table(
    "vacancy_problems",
    metadata,
    sa.Column("tenant", sa.String(50), primary_key=True),
    sa.Column("vacancy_id", sa.Text, primary_key=True),
    sa.Column("problem", sa.Text, nullable=False),
    sa.Column("since", Instant, nullable=False),
)
"""Records that could not be read. One without an id is stored under '?' and a number."""

mirrors = sa.Table(
    "mirrors",
    metadata,
    sa.Column("tenant", sa.String(50), primary_key=True),
    sa.Column("version", sa.BigInteger, nullable=False),
    sa.Column("judged_by", sa.String(32)),
    sa.Column("counted_at", Instant, nullable=False),
)
"""One row for each tenant. version: increases with every public change. judged_by: hash of the published stages that
publications and counts are based on. counted_at: the instant that the counts are for.
"""
