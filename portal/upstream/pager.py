"""Walks through all pages of a list (§4.11), whatever its cursors do.

A vacancy's cursor is a time, so records that tie come twice, and a service may hand out one that stands still or turns
in circles. A walk therefore drops what it has already seen unchanged, and ends: after a page that brings nothing new
and leads back to a cursor of before, it asks for the largest page, and then gives up with NotTheService.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from portal.contract.candidates import Candidate
from portal.contract.limits import PAGE_MAX
from portal.contract.vacancies import Vacancy
from portal.errors import NotTheService
from portal.upstream.page import Page

_BARREN_MOST = 100
"""Pages in a row that bring nothing new, each with a cursor not seen before."""

T = TypeVar("T", Vacancy, Candidate)


def pages(fetch: Callable[..., Page[T]], *, operation: str, limit: int = PAGE_MAX) -> Iterator[Page[T]]:
    """Every page from the first on, without records that came before and have not changed since.

    fetch: Upstream.vacancies or Upstream.candidates, perhaps with `modified_since` already given (functools.partial).
    A record that changes during the walk comes again. NotTheService when the pages do not lead to an end.
    """
    known: dict[str, int] = {}
    behind: set[str | None] = {None}
    cursor: str | None = None
    barren = 0
    while True:
        page = fetch(limit=limit, cursor=cursor)
        fresh = tuple(record for record in page.items if _is_fresh(record, known))
        yield replace(page, items=fresh)
        if not page.has_next:
            return
        barren = 0 if fresh else barren + 1
        if not fresh and (page.next_cursor in behind or barren > _BARREN_MOST):
            if limit == PAGE_MAX:
                raise NotTheService("the pages of the list do not lead to an end", operation=operation)
            limit = PAGE_MAX
        behind.add(page.next_cursor)
        cursor = page.next_cursor


def records(fetch: Callable[..., Page[T]], *, operation: str, limit: int = PAGE_MAX) -> Iterator[T]:
    """Every record that can be read; those that cannot are in the pages of `pages`."""
    for page in pages(fetch, operation=operation, limit=limit):
        yield from page.items


def _is_fresh(record: Vacancy | Candidate, known: dict[str, int]) -> bool:
    look = hash(record.model_dump_json())
    if known.get(record.id) == look:
        return False
    known[record.id] = look
    return True
