"""Words → the rows that have them, by FTS5 on SQLite and by tsvector on PostgreSQL.

Both index the same normalised words, so both find the same postings. A term is one of several forms or a beginning;
terms are joined by AND. Every word is a-z and 0-9, so nothing in a query can be read as syntax.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from rapidfuzz.distance import OSA
from sqlalchemy.dialects import postgresql

from portal.vacancies.tables import vacancy_vocabulary, vacancy_words
from portal.vacancies.words import Term
from portal.vacancies.writing import scope_word

_fts = sa.table("vacancy_fts", sa.column("rowid", sa.Integer), sa.column("vacancy_fts", sa.Text))
_NEIGHBOURS = 4_000
_SIMILAR = 60


def having(tenant: str, terms: Sequence[Term], *, sqlite: bool) -> sa.Subquery:
    """A subquery with one column, `row`: postings of the tenant that have every term."""
    return _rows([("words", _scoped(tenant, terms), True)], sqlite=sqlite)


def titled(terms: Sequence[Term], *, every: bool, sqlite: bool) -> sa.Select[int]:
    """Rows, of any tenant, whose title has every term, or any."""
    return sa.select(_rows([("title", terms, every)], sqlite=sqlite).c.row)


def titled_and_having(tenant: str, terms: Sequence[Term], *, sqlite: bool) -> sa.Select[int]:
    """Rows that have every term, and one of them in the title."""
    wanted = [("words", _scoped(tenant, terms), True), ("title", terms, False)]
    return sa.select(_rows(wanted, sqlite=sqlite).c.row)


def _scoped(tenant: str, terms: Sequence[Term]) -> Sequence[Term]:
    return [Term("", frozenset([scope_word(tenant)])), *terms]


def _rows(wanted: Sequence[tuple[str, Sequence[Term], bool]], *, sqlite: bool) -> sa.Subquery:
    """Rows that meet all of these; each names a column, its terms, and whether it takes every one of them."""
    if sqlite:
        parts = (
            f"{column} : ({(' AND ' if every else ' OR ').join(map(_fts5, terms))})" for column, terms, every in wanted
        )
        match = " AND ".join(f"({part})" for part in parts)
        return sa.select(_fts.c.rowid.label("row")).where(_fts.c.vacancy_fts.op("MATCH")(match)).subquery()
    conditions: list[sa.ColumnElement[bool]] = []
    for column, terms, every in wanted:
        lexemes: sa.ColumnElement[str] = sa.literal_column("lexemes" if column == "words" else "title_lexemes")
        text = (" & " if every else " | ").join(map(_tsquery, terms))
        conditions.append(lexemes.op("@@")(sa.cast(text, postgresql.TSQUERY)))
    return sa.select(vacancy_words.c.row).where(*conditions).subquery()


def _fts5(term: Term) -> str:
    forms = [f'"{form}"' for form in sorted(term.forms)] + ([f'"{term.prefix}"*'] if term.prefix else [])
    return f"({' OR '.join(forms)})"


def _tsquery(term: Term) -> str:
    forms = [f"'{form}'" for form in sorted(term.forms)] + ([f"'{term.prefix}':*"] if term.prefix else [])
    return f"({' | '.join(forms)})"


def meant_by(connection: sa.Connection, tenant: str, word: str) -> list[str]:
    """Words of the tenant's postings that a misspelt word may have meant, the nearest first; [] if it is one of them.

    One slip is forgiven in a word of four letters, two in one of eight.
    """
    slips = 0 if len(word) < 4 or any(c.isdigit() for c in word) else 1 if len(word) < 8 else 2
    c = vacancy_vocabulary.c
    known = sa.select(c.word).where(c.tenant == tenant, c.word == word)
    if not slips or connection.scalar(known):
        return []
    # A slip is a letter added, lost, changed or swapped with its neighbour; above `slips` any distance is the same.
    others = _neighbours(connection, tenant, word, slips)
    distances = [(OSA.distance(word, other, score_cutoff=slips), other) for other in others]
    near = sorted((d, abs(len(other) - len(word)), other) for d, other in distances if d <= slips)
    return [other for _, _, other in near[:5]]


def _neighbours(connection: sa.Connection, tenant: str, word: str, slips: int) -> set[str]:
    c = vacancy_vocabulary.c
    found: set[str] = set()
    for first in dict.fromkeys(word[:2]):  # slips in the first letter are rare, but for two letters that swapped
        alike = sa.select(c.word).where(
            c.tenant == tenant,
            c.word >= first,
            c.word < first + "\x7f",
            sa.func.length(c.word).between(len(word) - slips, len(word) + slips),
        )
        found.update(connection.scalars(alike.limit(_NEIGHBOURS)))
    if connection.dialect.name == "postgresql" and _has_trigrams(connection.engine.url, connection):
        similar = sa.select(c.word).where(c.tenant == tenant, c.word.op("%")(word)).limit(_SIMILAR)
        found.update(connection.scalars(similar))
    return found


_trigrams: dict[str, bool] = {}


def _has_trigrams(url: sa.URL, connection: sa.Connection) -> bool:
    key = url.render_as_string()
    if key not in _trigrams:
        query = sa.text("SELECT count(*) FROM pg_extension WHERE extname = 'pg_trgm'")
        _trigrams[key] = bool(connection.scalar(query))
    return _trigrams[key]
