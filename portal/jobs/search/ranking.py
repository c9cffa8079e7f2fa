"""The rank of a matching row by relevance: words in the title count most, then the occupation."""

from collections.abc import Sequence

import sqlalchemy as sa

from portal.jobs.search.matching import column_query, has_terms, indexed_rows
from portal.jobs.search.words import Term


def relevance_rank(tenant: str, terms: Sequence[Term], matched: sa.Subquery, *, sqlite: bool) -> sa.ColumnElement[int]:
    """Return the rank of a row of `matching.matching_rows`.

    3: the title has every term. 2: the title has one, the posting every one. 1: the posting has the occupation of a
    term under another name. 0: the terms are in its text alone.
    """
    occupations = frozenset(token for each in terms for token in each.occupations)
    parts = [part for each in terms for part in (_parts(each) if each.occupations else [each])]
    in_title = _in_title(tenant, terms, parts, matched, sqlite=sqlite)
    same_term = [Term("", occupations)]
    all_in_title: sa.ColumnElement[bool]
    same_occupation: sa.ColumnElement[bool]
    if sqlite:
        all_in_title = matched.c.row.in_(indexed_rows(column_query("title", tenant, terms, " AND ")))
        same_occupation = _with_every_term(
            tenant, terms, column_query("words", tenant, same_term, ""), matched, with_occupations=True
        )
    else:
        all_in_title = has_terms(matched.c.title_lexemes, terms, " & ")
        same_occupation = has_terms(matched.c.lexemes, same_term, "") if occupations else sa.false()
    ranks = [
        (all_in_title, 3),
        *([(in_title, 2)] if len(parts) > 1 else []),
        *([(same_occupation, 1)] if occupations else []),
    ]
    return sa.case(*ranks, else_=0)


def _in_title(
    tenant: str, terms: Sequence[Term], parts: Sequence[Term], matched: sa.Subquery, *, sqlite: bool
) -> sa.ColumnElement[bool]:
    """Return the condition that the posting has every term, by its words, and its title one of them."""
    if sqlite:
        return _with_every_term(tenant, terms, column_query("title", tenant, parts, " OR "), matched)
    return sa.and_(has_terms(matched.c.lexemes, terms, " & "), has_terms(matched.c.title_lexemes, parts, " | "))


def _with_every_term(
    tenant: str, terms: Sequence[Term], text: str, matched: sa.Subquery, *, with_occupations: bool = False
) -> sa.ColumnElement[bool]:
    """Return FTS5's condition for a text that has every term; those match far fewer rows than the text alone."""
    every = column_query("words", tenant, terms, " AND ", with_occupations=with_occupations)
    return matched.c.row.in_(indexed_rows(f"({every}) AND ({text})"))


def _parts(term: Term) -> list[Term]:
    """Return the words of a phrase as terms of their own."""
    return [part for phrase in term.phrases for part in phrase] or [term]
