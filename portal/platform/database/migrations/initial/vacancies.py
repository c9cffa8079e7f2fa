"""Tables of synced vacancies and their search index."""

import sqlalchemy as sa
from alembic import op

_BINARY_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def create() -> None:
    """Create the tables of jobs/, and the index of the database's own full-text search."""
    _postings()
    _index_of_words()
    _counts()
    _state()
    if op.get_bind().dialect.name == "sqlite":
        _fts5()
    else:
        _tsvector()


def _postings() -> None:
    instant = sa.BigInteger
    op.create_table(
        "vacancies",
        sa.Column("row", sa.Integer, primary_key=True),
        sa.Column("tenant", sa.String(50), nullable=False),
        sa.Column("vacancy_id", _BINARY_TEXT, nullable=False),
        sa.Column("posting_id", sa.Text),
        sa.Column("publication", sa.String(10), nullable=False),
        sa.Column("was_open", sa.Boolean, nullable=False),
        sa.Column("stage", sa.Text, nullable=False),
        sa.Column("country", sa.Text, nullable=False),
        sa.Column("city", sa.Text, nullable=False),
        sa.Column("employment_type", sa.Text, nullable=False),
        sa.Column("location_type", sa.Text, nullable=False),
        sa.Column("opens_at", instant, nullable=False),
        sa.Column("closes_at", instant, nullable=False),
        sa.Column("dated_at", instant, nullable=False),
        sa.Column("x", sa.Double),
        sa.Column("y", sa.Double),
        sa.Column("z", sa.Double),
        sa.Column("fingerprint", sa.String(32), nullable=False),
        sa.Column("modified_at", instant, nullable=False),
        sa.UniqueConstraint("tenant", "vacancy_id", name="uq_vacancies_tenant_vacancy_id"),
    )
    op.create_index("ix_vacancies_posting_id", "vacancies", ["tenant", "posting_id"])
    # A list is read from this index alone, newest first, until a page is full.
    order = ["tenant", "publication", "dated_at", "row"]
    narrowed_by = ["opens_at", "closes_at", "stage", "country", "city", "employment_type", "location_type"]
    op.create_index("ix_vacancies_dated_at", "vacancies", order + narrowed_by)
    op.create_index("ix_vacancies_z", "vacancies", ["tenant", "publication", "z", "x", "y"])
    op.create_index("ix_vacancies_opens_at", "vacancies", ["tenant", "publication", "opens_at"])
    op.create_index("ix_vacancies_closes_at", "vacancies", ["tenant", "publication", "closes_at"])
    op.create_table(
        "vacancy_former_ids",
        sa.Column("tenant", sa.String(50), primary_key=True),
        sa.Column("posting_id", sa.Text, primary_key=True),
        sa.Column("row", sa.Integer, sa.ForeignKey("vacancies.row", ondelete="CASCADE"), nullable=False),
    )
    op.create_table(
        "vacancy_texts",
        _row(),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("plain", sa.Text, nullable=False),
        sa.Column("language", sa.String(3), nullable=False),
        sa.Column("region", sa.Text),
        sa.Column("postal_code", sa.Text),
        sa.Column("street", sa.Text),
        sa.Column("latitude", sa.Double),
        sa.Column("longitude", sa.Double),
        sa.Column("created_at", instant),
        sa.Column("start_at", instant),
        sa.Column("end_at", instant),
        sa.Column("salary_currency", sa.Text),
        sa.Column("salary_low", sa.Double),
        sa.Column("salary_high", sa.Double),
        sa.Column("client", sa.Text),
    )


def _index_of_words() -> None:
    op.create_table(
        "vacancy_words",
        _row(),
        sa.Column("words", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
    )
    op.create_table(
        "vacancy_vocabulary",
        sa.Column("tenant", sa.String(50), primary_key=True),
        sa.Column("word", _BINARY_TEXT, primary_key=True),
        sqlite_with_rowid=False,
    )


def _counts() -> None:
    op.create_table(
        "vacancy_cells",
        sa.Column("tenant", sa.String(50), primary_key=True),
        sa.Column("country", sa.Text, primary_key=True),
        sa.Column("city", sa.Text, primary_key=True),
        sa.Column("employment_type", sa.Text, primary_key=True),
        sa.Column("location_type", sa.Text, primary_key=True),
        sa.Column("n", sa.Integer, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "vacancy_totals",
        sa.Column("tenant", sa.String(50), primary_key=True),
        sa.Column("facet", sa.String(20), primary_key=True),
        sa.Column("value", sa.Text, primary_key=True),
        sa.Column("n", sa.Integer, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_vacancy_totals_n", "vacancy_totals", ["tenant", "facet", "n"])


def _state() -> None:
    instant = sa.BigInteger
    op.create_table(
        "vacancy_problems",
        sa.Column("tenant", sa.String(50), primary_key=True),
        sa.Column("vacancy_id", sa.Text, primary_key=True),
        sa.Column("problem", sa.Text, nullable=False),
        sa.Column("since", instant, nullable=False),
    )
    op.create_table(
        "mirrors",
        sa.Column("tenant", sa.String(50), primary_key=True),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("judged_by", sa.String(32)),
        sa.Column("counted_at", instant, nullable=False),
    )


def _fts5() -> None:
    # An index over vacancy_words that stores no second copy of the words; the words are already normalised to ASCII.
    op.execute(
        "CREATE VIRTUAL TABLE vacancy_fts USING fts5(words, title, content='vacancy_words', content_rowid='row',"
        " tokenize='ascii', detail='column')"
    )
    put = "INSERT INTO vacancy_fts(rowid, words, title) VALUES (new.row, new.words, new.title);"
    take = "INSERT INTO vacancy_fts(vacancy_fts, rowid, words, title) VALUES ('delete', old.row, old.words, old.title);"
    op.execute(f"CREATE TRIGGER vacancy_words_put AFTER INSERT ON vacancy_words BEGIN {put} END")
    op.execute(f"CREATE TRIGGER vacancy_words_take AFTER DELETE ON vacancy_words BEGIN {take} END")
    op.execute(f"CREATE TRIGGER vacancy_words_change AFTER UPDATE ON vacancy_words BEGIN {take} {put} END")


def _tsvector() -> None:
    for column, of in (("lexemes", "words"), ("title_lexemes", "title")):
        # The words are normalised already: a text search configuration would only split them again.
        made = f"array_to_tsvector(string_to_array({of}, ' '))"
        op.execute(f"ALTER TABLE vacancy_words ADD COLUMN {column} tsvector GENERATED ALWAYS AS ({made}) STORED")
        op.execute(f"CREATE INDEX ix_vacancy_words_{column} ON vacancy_words USING gin ({column})")
    op.execute(
        "DO $$ BEGIN CREATE EXTENSION IF NOT EXISTS pg_trgm;"
        " CREATE INDEX ix_vacancy_vocabulary_trigrams ON vacancy_vocabulary USING gin (word gin_trgm_ops);"
        " EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR undefined_object"
        " THEN RAISE NOTICE 'no pg_trgm: misspelt words are looked up by their first letter'; END $$"
    )


def _row() -> sa.Column[int]:
    return sa.Column(
        "row", sa.Integer, sa.ForeignKey("vacancies.row", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
