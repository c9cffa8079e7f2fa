"""Words → matching rows, by FTS5 on SQLite and by tsvector on PostgreSQL.

Both index the same normalised words, so both find the same postings. A term is a set of alternative forms or a prefix;
terms are joined by AND. Words consist of a-z and 0-9, so no user input can be parsed as query syntax.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from rapidfuzz.distance import OSA
from sqlalchemy.dialects import postgresql

from portal.jobs.mirror.writing import scope_word
from portal.jobs.search import concepts
from portal.jobs.search.words import Term
from portal.jobs.tables import vacancy_vocabulary, vacancy_words

_index = sa.table("vacancy_index", sa.column("rowid", sa.Integer), sa.column("vacancy_index", sa.Text))
_LEXEMES: sa.ColumnElement[str] = sa.literal_column("lexemes")
_TITLE_LEXEMES: sa.ColumnElement[str] = sa.literal_column("title_lexemes")
_MAX_NEIGHBOURS = 4_000
_MAX_SIMILAR = 60


def matching_rows(tenant: str, terms: Sequence[Term], *, sqlite: bool, prefer_scan: bool) -> sa.Subquery:
    """Return a subquery with the column `row`: the tenant's postings with every term, for `ranking.relevance_rank`.

    prefer_scan: whether PostgreSQL should scan the tenant's postings, because there are few, instead of using the index
    of all tenants' words.
    """
    if sqlite:
        return indexed_rows(column_query("words", tenant, terms, " AND ", with_occupations=True)).subquery()
    lexemes = sa.func.coalesce(_LEXEMES, sa.cast("", postgresql.TSVECTOR)) if prefer_scan else _LEXEMES
    scoped = [Term("", frozenset([scope_word(tenant)])), *terms]
    query = sa.select(vacancy_words.c.row, _LEXEMES.label("lexemes"), _TITLE_LEXEMES.label("title_lexemes"))
    return query.where(has_terms(lexemes, scoped, " & ", with_occupations=True)).subquery()


def rows_with_title(tenant: str, terms: Sequence[Term], *, sqlite: bool) -> sa.Select[int]:
    """Return a query for rows whose title has one of the terms; on PostgreSQL rows of all tenants."""
    if sqlite:
        return indexed_rows(column_query("title", tenant, terms, " OR "))
    return sa.select(vacancy_words.c.row).where(has_terms(_TITLE_LEXEMES, terms, " | "))


def has_terms(
    lexemes: sa.ColumnElement[str], terms: Sequence[Term], joined_by: str, *, with_occupations: bool = False
) -> sa.ColumnElement[bool]:
    """Return PostgreSQL's condition that lexemes match the terms. with_occupations: also by their occupations."""
    text = joined_by.join(_tsquery(term, with_occupations=with_occupations) for term in terms)
    return lexemes.op("@@", return_type=sa.Boolean())(sa.cast(text, postgresql.TSQUERY))


def indexed_rows(match: str) -> sa.Select[int]:
    """Return SQLite's query for the rows whose words match an FTS5 query."""
    return sa.select(_index.c.rowid.label("row")).where(_index.c.vacancy_index.op("MATCH")(match))


def column_query(
    name: str, tenant: str, terms: Sequence[Term], joined_by: str, *, with_occupations: bool = False
) -> str:
    """Return FTS5's query for the terms in a column. with_occupations: a term is matched by its occupations too."""
    scope = token_scope(tenant)
    return f"{name} : ({joined_by.join(_fts5(scope, term, with_occupations=with_occupations) for term in terms)})"


def token_scope(tenant: str) -> str:
    """Return the prefix of a tenant's words in SQLite's index, so that a search reads no other tenant's words.

    The triggers of migration 0004 build the same in SQL. Hexadecimal, then a letter that is no hexadecimal digit.
    """
    return tenant.encode().hex() + "z"


def _fts5(scope: str, term: Term, *, with_occupations: bool = False) -> str:
    beginning = [f'"{scope}{term.prefix}"*'] if term.prefix else []
    occupations = term.occupations if with_occupations else frozenset()
    forms = [f'"{scope}{form}"' for form in sorted(term.forms | occupations)] + beginning
    phrases = [f"({' AND '.join(_fts5(scope, part) for part in phrase)})" for phrase in term.phrases]
    return f"({' OR '.join(forms + phrases)})"


def _tsquery(term: Term, *, with_occupations: bool = False) -> str:
    occupations = term.occupations if with_occupations else frozenset()
    forms = [f"'{form}'" for form in sorted(term.forms | occupations)] + ([f"'{term.prefix}':*"] if term.prefix else [])
    phrases = [f"({' & '.join(map(_tsquery, phrase))})" for phrase in term.phrases]
    return f"({' | '.join(forms + phrases)})"


def similar_words(connection: sa.Connection, tenant: str, word: str) -> list[str]:
    """Return words of the tenant's postings that a misspelt word may mean, best first; [] if it is one of them.

    One typing error is accepted in words of four letters, two in words of eight.
    """
    slips = 0 if len(word) < 4 or any(c.isdigit() for c in word) else 1 if len(word) < 8 else 2
    c = vacancy_vocabulary.c
    known = sa.select(c.word).where(c.tenant == tenant, c.word == word)
    if not slips or connection.scalar(known):
        return []
    # An error is a letter added, lost, changed or swapped with its neighbour; `slips` is the largest distance computed.
    others = _neighbours(connection, tenant, word, slips)
    distances = [(OSA.distance(word, other, score_cutoff=slips), other) for other in others]
    near = sorted((d, abs(len(other) - len(word)), other) for d, other in distances if d <= slips)
    return [other for _, _, other in near[:5]] or concepts.similar_type_names(word, slips)


def _neighbours(connection: sa.Connection, tenant: str, word: str, slips: int) -> set[str]:
    c = vacancy_vocabulary.c
    found: set[str] = set()
    for first in dict.fromkeys(word[:2]):  # same first letter, or the first two letters swapped
        alike = sa.select(c.word).where(
            c.tenant == tenant,
            c.word >= first,
            c.word < first + "\x7f",
            sa.func.length(c.word).between(len(word) - slips, len(word) + slips),
        )
        found.update(connection.scalars(alike.limit(_MAX_NEIGHBOURS)))
    if connection.dialect.name == "postgresql" and _has_trigrams(connection.engine.url, connection):
        similar = sa.select(c.word).where(c.tenant == tenant, c.word.op("%")(word)).limit(_MAX_SIMILAR)
        found.update(connection.scalars(similar))
    return found


_trigrams: dict[str, bool] = {}


def _has_trigrams(url: sa.URL, connection: sa.Connection) -> bool:
    key = url.render_as_string()
    if key not in _trigrams:
        query = sa.text("SELECT count(*) FROM pg_extension WHERE extname = 'pg_trgm'")
        _trigrams[key] = bool(connection.scalar(query))
    return _trigrams[key]
