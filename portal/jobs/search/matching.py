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
_NEIGHBOURS = 4_000
_SIMILAR = 60


def matching_rows(tenant: str, terms: Sequence[Term], *, sqlite: bool, prefer_scan: bool) -> sa.Subquery:
    """Return a subquery with the column `row`: the tenant's postings with every term. `tier` takes it as input.

    prefer_scan: whether PostgreSQL should scan the tenant's postings, because there are few, instead of using the index
    of all tenants' words.
    """
    if sqlite:
        return _indexed(_column("words", tenant, terms, " AND ")).subquery()
    lexemes = sa.func.coalesce(_LEXEMES, sa.cast("", postgresql.TSVECTOR)) if prefer_scan else _LEXEMES
    scoped = [Term("", frozenset([scope_word(tenant)])), *terms]
    query = sa.select(vacancy_words.c.row, _TITLE_LEXEMES.label("title_lexemes"))
    return query.where(_has(lexemes, scoped, " & ")).subquery()


def titled(tenant: str, terms: Sequence[Term], *, sqlite: bool) -> sa.Select[int]:
    """Return a query for rows whose title has one of the terms; on PostgreSQL rows of all tenants."""
    if sqlite:
        return _indexed(_column("title", tenant, terms, " OR "))
    return sa.select(vacancy_words.c.row).where(_has(_TITLE_LEXEMES, terms, " | "))


def tier(tenant: str, terms: Sequence[Term], matched: sa.Subquery, *, sqlite: bool) -> sa.ColumnElement[int]:
    """Return the rank of a row of `matching_rows`: 2 if the title has every term, 1 if it has one, 0 if it has none."""
    if not sqlite:
        title = matched.c.title_lexemes
        return sa.case((_has(title, terms, " & "), 2), (_has(title, terms, " | "), 1), else_=0)
    every, some = _column("title", tenant, terms, " AND "), _column("title", tenant, terms, " OR ")
    full = (matched.c.row.in_(_indexed(every)), 2)
    if len(terms) == 1:
        return sa.case(full, else_=0)
    # Only for rows without all of them; restricted by all words too, because that matches fewer rows.
    some = f"({_column('words', tenant, terms, ' AND ')}) AND ({some})"
    return sa.case(full, (matched.c.row.in_(_indexed(some)), 1), else_=0)


def _has(lexemes: sa.ColumnElement[str], terms: Sequence[Term], joined_by: str) -> sa.ColumnElement[bool]:
    return lexemes.op("@@", return_type=sa.Boolean())(sa.cast(joined_by.join(map(_tsquery, terms)), postgresql.TSQUERY))


def _indexed(match: str) -> sa.Select[int]:
    return sa.select(_index.c.rowid.label("row")).where(_index.c.vacancy_index.op("MATCH")(match))


def _column(name: str, tenant: str, terms: Sequence[Term], joined_by: str) -> str:
    scope = token_scope(tenant)
    return f"{name} : ({joined_by.join(_fts5(scope, term) for term in terms)})"


def token_scope(tenant: str) -> str:
    """Return the prefix of a tenant's words in SQLite's index, so that a search reads no other tenant's words.

    The triggers of migration 0004 build the same in SQL. Hexadecimal, then a letter that is no hexadecimal digit.
    """
    return tenant.encode().hex() + "z"


def _fts5(scope: str, term: Term) -> str:
    beginning = [f'"{scope}{term.prefix}"*'] if term.prefix else []
    forms = [f'"{scope}{form}"' for form in sorted(term.forms)] + beginning
    phrases = [f"({' AND '.join(_fts5(scope, part) for part in phrase)})" for phrase in term.phrases]
    return f"({' OR '.join(forms + phrases)})"


def _tsquery(term: Term) -> str:
    forms = [f"'{form}'" for form in sorted(term.forms)] + ([f"'{term.prefix}':*"] if term.prefix else [])
    phrases = [f"({' & '.join(map(_tsquery, phrase))})" for phrase in term.phrases]
    return f"({' | '.join(forms + phrases)})"


def meant_by(connection: sa.Connection, tenant: str, word: str) -> list[str]:
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
    return [other for _, _, other in near[:5]] or concepts.meant_by(word, slips)


def _neighbours(connection: sa.Connection, tenant: str, word: str, slips: int) -> set[str]:
    c = vacancy_vocabulary.c
    found: set[str] = set()
    for first in dict.fromkeys(word[:2]):  # the first letter is rarely wrong, except when the first two are swapped
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
