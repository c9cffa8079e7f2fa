"""The fields of a profile that its owner sees and changes: those of §4.10, and no others."""

import hashlib
import json
from collections.abc import Collection
from dataclasses import dataclass, field, replace

from portal.adapters.tracker_client.page import FieldSelection
from portal.contract.bodies import CandidateUpdate, EmailEntryBody, PhoneEntryBody, SocialMediaEntryBody
from portal.contract.candidates import Candidate
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
    kept = [entry for entry in before.emails if folded(entry.value) in there]
    others = [entry for entry in now.emails if folded(entry.value) not in gone]
    if any(entry.is_primary for entry in kept):
        others = [replace(entry, is_primary=False) if entry.is_primary else entry for entry in others]
    return replace(now, emails=(*kept, *others))


def same_addresses(before: Record, after: Record) -> bool:
    """Return whether the change gives nobody access and locks nobody out; case and the primary flag do not count."""
    return not new_addresses(before, after) and not new_addresses(after, before)


def addresses_changed(before: Record, after: Record) -> bool:
    """Return whether an address was added or removed, or is no longer the primary one."""

    def of(record: Record) -> set[tuple[str, bool]]:
        return {(folded(entry.value), bool(entry.is_primary)) for entry in record.emails}

    return of(before) != of(after)


def _plain(record: Record) -> list[object]:
    lists = [[[e.value, e.kind, bool(e.is_primary)] for e in record.entries(name)] for name in LISTS]
    return [record.first_name, record.last_name, *lists]
