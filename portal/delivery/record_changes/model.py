"""The fields of a profile that its owner sees and changes: those of §4.10, and no others.

Also the contents of a change of them, and the record as the service has it now (§4.2). The interface has no operation
to get one candidate by id.
"""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial

from pydantic import BaseModel, ConfigDict

from portal.adapters.tracker_client.client import TrackerClient
from portal.adapters.tracker_client.errors import NotTheService, TemporarilyUnavailable
from portal.adapters.tracker_client.page import FieldSelection
from portal.background.sync.paging import PageWalker
from portal.contract.bodies import CandidateUpdate, EmailEntryBody, PhoneEntryBody, SocialMediaEntryBody
from portal.contract.candidates import Candidate
from portal.delivery.envelopes.kinds import Payload
from portal.people.index.index import IndexedCandidate
from portal.platform.crypto.sealing import Seal, folded

EMAILS, PHONES, LINKS = "emails", "phoneNumbers", "socialMedia"
LISTS = (EMAILS, PHONES, LINKS)


@dataclass(frozen=True, slots=True)
class ProfileEntry:
    """An email address, phone number or link.

    kind: `purpose` or `type` as the service sent it, even if it is unknown.
    """

    value: str = field(repr=False)
    kind: str | None = None
    is_primary: bool | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """The profile as shown. absent: lists that the service does not have; they are sent only if something is added."""

    first_name: str = field(repr=False)
    last_name: str = field(repr=False)
    emails: tuple[ProfileEntry, ...] = ()
    phones: tuple[ProfileEntry, ...] = ()
    links: tuple[ProfileEntry, ...] = ()
    absent: frozenset[str] = frozenset()

    def entries(self, name: str) -> tuple[ProfileEntry, ...]:
        """Return the entries of one of LISTS."""
        return {EMAILS: self.emails, PHONES: self.phones, LINKS: self.links}[name]


READ: FieldSelection = {
    "id": None,
    "createdAt": None,
    "modifiedAt": None,
    "name": {"firstName": None, "lastName": None},
    "emails": {"emails": dict.fromkeys(("email", "purpose", "isPrimary"))},
    "phoneNumbers": {"phoneNumbers": dict.fromkeys(("phoneNumber", "purpose", "isPrimary"))},
    "socialMedia": {"socialMedia": dict.fromkeys(("url", "type", "isPrimary"))},
}
"""The fields of a candidate that are read for its owner: no other field can make the record unreadable."""


def shown(candidate: Candidate) -> Record:
    """Return the profile to show; an entry without a value is not shown, and so not sent either."""
    emails = candidate.emails.emails if candidate.emails else None
    phones = candidate.phone_numbers.phone_numbers if candidate.phone_numbers else None
    links = candidate.social_media.social_media if candidate.social_media else None
    lists = {EMAILS: emails, PHONES: phones, LINKS: links}
    return Record(
        first_name=(candidate.name.first_name if candidate.name else None) or "",
        last_name=(candidate.name.last_name if candidate.name else None) or "",
        emails=tuple(ProfileEntry(e.email, e.purpose, e.is_primary) for e in emails or () if e.email),
        phones=tuple(ProfileEntry(p.phone_number, p.purpose, p.is_primary) for p in phones or () if p.phone_number),
        links=tuple(ProfileEntry(m.url, m.type, m.is_primary) for m in links or () if m.url),
        absent=frozenset(name for name, entries in lists.items() if entries is None),
    )


def digest(record: Record) -> str:
    """Return the SHA-256 of everything shown, for what is stored encrypted; equal for profiles without a difference."""
    return hashlib.sha256(json.dumps(_plain(record), ensure_ascii=True).encode()).hexdigest()


def fingerprint(seal: Seal, record: Record) -> list[str]:
    """Return the same as keyed hashes, under every key, the current one first: for what a browser gets to see."""
    return seal.hashes("record", json.dumps(_plain(record), ensure_ascii=True))


def update_of(record: Record) -> CandidateUpdate:
    """Return §4.10's body: the full desired state of what is shown."""
    sent = {name: record.entries(name) for name in LISTS if record.entries(name) or name not in record.absent}
    emails, phones, links = (sent.get(name) for name in LISTS)
    return CandidateUpdate(
        first_name=record.first_name,
        last_name=record.last_name,
        emails=None
        if emails is None
        else [EmailEntryBody(purpose=e.kind, email=e.value, is_primary=e.is_primary) for e in emails],
        phone_numbers=None
        if phones is None
        else [PhoneEntryBody(purpose=e.kind, phone_number=e.value, is_primary=e.is_primary) for e in phones],
        social_media=None
        if links is None
        else [SocialMediaEntryBody(url=e.value, type=e.kind, is_primary=e.is_primary) for e in links],
    )


def record_of(update: CandidateUpdate) -> Record:
    """Return the profile that an update produces, to compare it or show it again."""
    lists = {EMAILS: update.emails, PHONES: update.phone_numbers, LINKS: update.social_media}
    return Record(
        first_name=update.first_name,
        last_name=update.last_name,
        emails=tuple(ProfileEntry(e.email, e.purpose, e.is_primary) for e in update.emails or ()),
        phones=tuple(ProfileEntry(p.phone_number, p.purpose, p.is_primary) for p in update.phone_numbers or ()),
        links=tuple(ProfileEntry(m.url, m.type, m.is_primary) for m in update.social_media or ()),
        absent=frozenset(name for name, entries in lists.items() if entries is None),
    )


def new_addresses(before: Record, after: Record) -> list[str]:
    """Return the addresses in `after` that `before` lacks, ignoring case."""
    known = {folded(entry.value) for entry in before.emails}
    return [entry.value for entry in after.emails if folded(entry.value) not in known]


def addresses_restored(
    now: Record, before: Record, *, takes_out: Collection[str], brings_back: Collection[str]
) -> Record:
    """Return the current profile with its email addresses as they were before.

    An address that the company removed meanwhile stays out, and one that it added stays in.
    """
    there = {folded(entry.value) for entry in now.emails} | {folded(one) for one in brings_back}
    gone = {folded(one) for one in takes_out} | {folded(entry.value) for entry in before.emails}
    remaining = [entry for entry in before.emails if folded(entry.value) in there]
    others = [entry for entry in now.emails if folded(entry.value) not in gone]
    if any(entry.is_primary for entry in remaining):
        others = [replace(entry, is_primary=False) if entry.is_primary else entry for entry in others]
    return replace(now, emails=(*remaining, *others))


def same_addresses(before: Record, after: Record) -> bool:
    """Return whether the change neither gives nor takes away access; case and the primary flag do not count."""
    return not new_addresses(before, after) and not new_addresses(after, before)


def addresses_changed(before: Record, after: Record) -> bool:
    """Return whether an address was added or removed, or is no longer the primary one."""

    def of(record: Record) -> set[tuple[str, bool]]:
        return {(folded(entry.value), bool(entry.is_primary)) for entry in record.emails}

    return of(before) != of(after)


def _plain(record: Record) -> list[object]:
    lists = [[[e.value, e.kind, bool(e.is_primary)] for e in record.entries(name)] for name in LISTS]
    return [record.first_name, record.last_name, *lists]


class AddressRestore(BaseModel):
    """The effect of an undo on the record's email addresses, applied to the record as it is when the undo is sent."""

    model_config = ConfigDict(frozen=True)

    takes_out: tuple[str, ...] = ()
    brings_back: tuple[str, ...] = ()


class ChangePayload(Payload):
    """The contents of a profile change. candidate_id is a secret.

    based_on_digest: digest of the record that the form was made from; based_on: its fingerprint, which earlier releases
    compare; based_at: its modification time. update: §4.10's body, without the attachment. left: addresses that it
    removes from the record; proven: those that remain and whose owner has just typed in a code. restored: set for an
    undo, whose update is the record before the change; only the addresses of that update are sent.
    """

    candidate_id: str
    based_on: str
    based_on_digest: str | None = None
    based_at: datetime | None = None
    update: CandidateUpdate
    left: tuple[str, ...] = ()
    proven: tuple[str, ...] = ()
    restored: AddressRestore | None = None

    def compared(self) -> str:
        """Return the update alone: based_on may be hashed under another key the second time."""
        return self.update.model_dump_json(by_alias=True, exclude_none=True)

    def shown(self) -> Mapping[str, object]:
        """Return the update alone: the candidate's id is never shown."""
        return self.update.model_dump(mode="json", by_alias=True, exclude_none=True)


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
