"""The members of a record that its owner sees and changes: those of §4.10, and no other."""

import json
from dataclasses import dataclass, field

from portal.contract.bodies import CandidateUpdate, EmailEntryBody, PhoneEntryBody, SocialMediaEntryBody
from portal.contract.candidates import Candidate
from portal.sealing import Seal, folded
from portal.upstream.members import Members

EMAILS, PHONES, LINKS = "emails", "phoneNumbers", "socialMedia"
LISTS = (EMAILS, PHONES, LINKS)


@dataclass(frozen=True, slots=True)
class Entry:
    """An e-mail address, phone number or link. kind: `purpose` or `type` as it came, also when nobody knows it."""

    value: str = field(repr=False)
    kind: str | None = None
    is_primary: bool | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """What is shown. absent: lists that the service has none of, which stay so unless something is added."""

    first_name: str = field(repr=False)
    last_name: str = field(repr=False)
    emails: tuple[Entry, ...] = ()
    phones: tuple[Entry, ...] = ()
    links: tuple[Entry, ...] = ()
    absent: frozenset[str] = frozenset()

    def entries(self, name: str) -> tuple[Entry, ...]:
        """One of LISTS."""
        return {EMAILS: self.emails, PHONES: self.phones, LINKS: self.links}[name]


READ: Members = {
    "id": None,
    "createdAt": None,
    "modifiedAt": None,
    "name": {"firstName": None, "lastName": None},
    "emails": {"emails": dict.fromkeys(("email", "purpose", "isPrimary"))},
    "phoneNumbers": {"phoneNumbers": dict.fromkeys(("phoneNumber", "purpose", "isPrimary"))},
    "socialMedia": {"socialMedia": dict.fromkeys(("url", "type", "isPrimary"))},
}
"""What is read of a candidate for its owner: nothing else can make the record unreadable."""


def shown(candidate: Candidate) -> Record:
    """The record as it came; an entry without a value is not shown, so it is not sent either."""
    emails = candidate.emails.emails if candidate.emails else None
    phones = candidate.phone_numbers.phone_numbers if candidate.phone_numbers else None
    links = candidate.social_media.social_media if candidate.social_media else None
    lists = {EMAILS: emails, PHONES: phones, LINKS: links}
    return Record(
        first_name=(candidate.name.first_name if candidate.name else None) or "",
        last_name=(candidate.name.last_name if candidate.name else None) or "",
        emails=tuple(Entry(e.email, e.purpose, e.is_primary) for e in emails or () if e.email),
        phones=tuple(Entry(p.phone_number, p.purpose, p.is_primary) for p in phones or () if p.phone_number),
        links=tuple(Entry(m.url, m.type, m.is_primary) for m in links or () if m.url),
        absent=frozenset(name for name, entries in lists.items() if entries is None),
    )


def fingerprint(seal: Seal, record: Record) -> list[str]:
    """Keyed hashes over everything that is shown, by every key, the present one first: equal when nothing differs."""
    return seal.hashes("record", json.dumps(_plain(record), ensure_ascii=True))


def update_of(record: Record) -> CandidateUpdate:
    """§4.10's body: the full desired state of what is shown."""
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
    """What an update would make of the shown members, for comparing and for showing it again."""
    lists = {EMAILS: update.emails, PHONES: update.phone_numbers, LINKS: update.social_media}
    return Record(
        first_name=update.first_name,
        last_name=update.last_name,
        emails=tuple(Entry(e.email, e.purpose, e.is_primary) for e in update.emails or ()),
        phones=tuple(Entry(p.phone_number, p.purpose, p.is_primary) for p in update.phone_numbers or ()),
        links=tuple(Entry(m.url, m.type, m.is_primary) for m in update.social_media or ()),
        absent=frozenset(name for name, entries in lists.items() if entries is None),
    )


def new_addresses(before: Record, after: Record) -> list[str]:
    """Addresses that the record did not have; case does not count."""
    known = {folded(entry.value) for entry in before.emails}
    return [entry.value for entry in after.emails if folded(entry.value) not in known]


def addresses_changed(before: Record, after: Record) -> bool:
    """Whether an address came, went, or is no longer the primary one."""

    def of(record: Record) -> set[tuple[str, bool]]:
        return {(folded(entry.value), bool(entry.is_primary)) for entry in record.emails}

    return of(before) != of(after)


def _plain(record: Record) -> list[object]:
    lists = [[[e.value, e.kind, bool(e.is_primary)] for e in record.entries(name)] for name in LISTS]
    return [record.first_name, record.last_name, *lists]
