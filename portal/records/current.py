"""The record as the service has it now (§4.2). The interface has no way to ask for one candidate by id."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from portal.candidates.index import Indexed
from portal.contract.candidates import Candidate
from portal.errors import NotNow, NotTheService
from portal.passes.walk import Walk
from portal.records.model import READ, Record, shown
from portal.upstream.client import Upstream

_PRECISION = timedelta(milliseconds=1)
"""A service may write times less exactly than it compares them."""
_PAGES_MOST = 100
"""Where the service does not say when a record was modified, the whole list is read: so far, and no further."""


@dataclass(frozen=True, slots=True)
class Current:
    """One record, read just now."""

    record: Record = field(repr=False)
    modified_at: datetime | None
    created_at: datetime | None


def fetch(service: Upstream, who: Indexed) -> Current | None:
    """The candidate's record, or None where the service has it no more. Raises UpstreamError, NotNow where it is not
    among the first pages, or cannot be read. The time that all pages may take together is the caller's to set
    (upstream.deadline.within).

    The list is asked for what changed since the index last saw this candidate: the record is the first of it, or
    further on where it changed since.
    """
    since = who.modified_at - _PRECISION if who.modified_at else None
    found: Candidate | None = None
    walk = Walk(partial(service.candidates, reading=READ), since)
    for number, page in enumerate(walk.pages()):
        found = next((one for one in page.items if one.id == who.candidate_id), None)
        if found is not None:
            break
        if any(bad.id == who.candidate_id for bad in page.bad):
            raise NotNow("the record cannot be read as the service has it", operation="4.2")
        if number + 1 >= _PAGES_MOST and page.has_next:
            # Not "gone": it may stand further on, and the next pass of the index brings us nearer to it.
            raise NotNow("the record does not come within the pages that are read for one person", operation="4.2")
    if found is None and not walk.complete:
        raise NotTheService("the pages of the list do not lead to an end", operation="4.2")
    if found is None:
        return None
    return Current(shown(found), found.modified_at, found.created_at)
