"""Database row → Posting, and → Hit with a summary and the ranges to highlight."""

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Any

import sqlalchemy as sa

from portal.contract.bodies import LocationType
from portal.jobs.places.gazetteer import kilometres
from portal.jobs.places.reach import is_reach, is_reached
from portal.jobs.posting import Hit, JobLocation, Posting, PostingAttribute, Salary
from portal.jobs.search.attributes import team, tenant_filters, values_in
from portal.jobs.search.database_query import DatabaseQuery
from portal.jobs.search.occupations import most_specific
from portal.jobs.search.words import Marker, Term
from portal.jobs.tables import vacancies, vacancy_texts
from portal.jobs.text.cleaning import plain, plain_lines
from portal.jobs.text.opening import opening, sections
from portal.tenants.model import Tenant

_SUMMARY = 110
_BEFORE = 60
_BLOCKS = re.compile(r"(?<![\s.!?:;,…–—。！？؟،؛-])\n")
"""Between two blocks, the first of which does not end as a sentence or a part of one."""


def posting_columns() -> list[sa.Column[Any]]:
    """Return the columns that posting_of and hit_of read."""
    c = vacancies.c
    narrow = [c.row, c.posting_id, c.country, c.city, c.employment_type, c.location_type, c.opens_at, c.closes_at]
    narrow += [c.modified_at, c.attributes, c.x, c.y, c.z]
    return [*narrow, *(column for column in vacancy_texts.c if column.name != "row")]


def posting_of(row: sa.Row[*tuple[Any, ...]], tenant: Tenant) -> Posting:
    """Return the posting in a row of posting_columns; salary and client only if the tenant file shows them now."""
    own = tenant_filters(tenant.publish) if row.attributes else ()
    values = {each: values_in(row.attributes, each.key) for each in own}
    its_team = next((its for each, its in values.items() if each == team(tenant.publish)), ())
    reach = row.city if is_reach(row.city) else None
    shows_salary = tenant.publish.show_salary and (row.salary_low is not None or row.salary_high is not None)
    return Posting(
        id=row.posting_id,
        title=row.title,
        description=row.description,
        place=JobLocation(
            city=None if reach else row.city or None,
            reach=reach,
            region=row.region,
            postal_code=row.postal_code,
            country=row.country or None,
            street=row.street,
            latitude=row.latitude,
            longitude=row.longitude,
        ),
        employment_type=row.employment_type or None,
        location_type=row.location_type or None,
        created_at=row.created_at,
        start_at=row.start_at,
        end_at=row.end_at,
        salary=Salary(row.salary_currency, row.salary_low, row.salary_high) if shows_salary else None,
        client=row.client if tenant.publish.show_client else None,
        language=row.language,
        modified_at=row.modified_at,
        attributes=tuple(PostingAttribute(each.name, each.label, its) for each, its in values.items() if its),
        team=its_team[0] if its_team else None,
    )


def hit_of(
    row: sa.Row[*tuple[Any, ...]], prepared: DatabaseQuery, marker: Marker, words: AbstractSet[str] = frozenset()
) -> Hit:
    """Return the posting for a list, with a summary around the search words, and its distance.

    words: every word of the posting in the index; needed if a term means an occupation.
    """
    posting = posting_of(row, prepared.tenant)
    start = opening(row.description, row.title)
    found = (mark for mark in marker.marks(row.plain, row.language) if mark[0] >= start)
    summary = _summary(row.plain, row.description, start, next(found, None))
    return Hit(
        posting=posting,
        summary=summary,
        title_marks=tuple(marker.marks(row.title, row.language)),
        summary_marks=tuple(marker.marks(summary, row.language)),
        distance_km=kilometres(prepared.centre, (row.x, row.y, row.z))
        if prepared.centre and row.x is not None
        else None,
        comes_remote=_comes_remote(row, prepared),
        occupation=_occupation(prepared.terms, words),
    )


def _occupation(terms: Iterable[Term], words: AbstractSet[str]) -> str | None:
    """Return the occupation by which alone a posting matches a term."""
    named = (each.occupations & words for each in terms if each.occupations and not each.is_met(words))
    return next((most_specific(tokens) for tokens in named if tokens), None)


def _comes_remote(row: sa.Row[*tuple[Any, ...]], prepared: DatabaseQuery) -> bool:
    if prepared.place is None or not prepared.place.country or row.location_type != LocationType.REMOTE:
        return False
    return is_reached(prepared.place.country, row.country, row.city)


def summary_of(posting: Posting) -> str:
    """Return the beginning of the posting's text, as lists without search words show it."""
    return _summary(plain(posting.description), posting.description, opening(posting.description, posting.title), None)


def _summary(text: str, description: str, start: int, first: tuple[int, int] | None) -> str:
    """Return about 110 characters around the first match, else from the opening sentence, cut between words.

    It ends before the next heading, and does not begin before the heading above a match. A dot separates blocks that do
    not end as a sentence.
    """
    at = first[0] if first and first[1] > start + _SUMMARY else start
    begins, ends = next(
        ((begins, ends) for begins, ends in sections(description, at) if begins <= at < ends), (start, len(text))
    )
    before = ""
    if at > start:
        start = max(begins, text.rfind(" ", 0, max(0, at - _BEFORE)) + 1)
        before = "… " if start > begins else ""
    end = start + _SUMMARY
    lines = plain_lines(description, min(end, ends))
    if end >= ends:
        return before + _in_one_line(lines[start:ends])
    cut = text.rfind(" ", start + _SUMMARY // 2, end)
    return before + _in_one_line(lines[start : cut if cut > start else end]).rstrip(" ,;:.–-·") + " …"


def _in_one_line(lines: str) -> str:
    return _BLOCKS.sub(" · ", lines.strip()).replace("\n", " ")
