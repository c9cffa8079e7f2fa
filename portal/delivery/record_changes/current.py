"""The record as the service has it now (§4.2). The interface has no operation to get one candidate by id."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from portal.adapters.tracker_client.client import TrackerClient
from portal.adapters.tracker_client.errors import NotTheService, TemporarilyUnavailable
from portal.background.sync.paging import PageWalker
from portal.contract.candidates import Candidate
from portal.delivery.record_changes.model import READ, Record, shown
from portal.people.index.index import IndexedCandidate

_PRECISION = timedelta(milliseconds=1)
"""A service may send times less precisely than it compares them."""
_PAGES_MOST = 100
"""The most pages to read: if the service does not send when a record was modified, the whole list is searched."""


@dataclass(frozen=True, slots=True)
class CurrentRecord:
    """One record, read just now."""

    record: Record = field(repr=False)
    modified_at: datetime | None
    created_at: datetime | None


def fetch(service: TrackerClient, who: IndexedCandidate) -> CurrentRecord | None:
    """Return the candidate's record, or None if the service no longer has it.

    The list is read from the modification time that the index last saw for this candidate: the record comes first, or
    later if it has changed since. Raises TrackerError, and TemporarilyUnavailable if the record is not within the first
    pages or cannot be read. The caller limits the time for all pages (tracker_client.deadline.within).
    """
    since = who.modified_at - _PRECISION if who.modified_at else None
    found: Candidate | None = None
    walk = PageWalker(partial(service.candidates, reading=READ), since)
    for number, page in enumerate(walk.pages()):
        found = next((one for one in page.items if one.id == who.candidate_id), None)
        if found is not None:
            break
        if any(bad.id == who.candidate_id for bad in page.bad):
            raise TemporarilyUnavailable("the record cannot be read as the service has it", operation="4.2")
        if number + 1 >= _PAGES_MOST and page.has_next:
            # Not reported as deleted: it may be on a later page, and after the next sync the search starts nearer to
            # it.
            raise TemporarilyUnavailable(
                "the record does not come within the pages that are read for one person", operation="4.2"
            )
    if found is None and not walk.complete:
        raise NotTheService("the pages of the list do not lead to an end", operation="4.2")
    if found is None:
        return None
    return CurrentRecord(shown(found), found.modified_at, found.created_at)
