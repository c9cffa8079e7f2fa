"""After a delivered change of address, assign deliveries of the former address to the new one.

Everything is stored under a keyed hash of an address, and a former address no longer opens the record. In the
transaction that records the delivery (arrived), the index gets the record's addresses, before any sync, and a session
that proved both addresses continues with the new one. Once the former address can no longer undo the change (move,
called by undo_links.py), what was sent with a removed address is assigned to one that remains.

This happens only between two addresses that were proven to belong to this person: each of them was used to act on this
very record, or to type in a code. Deliveries that are sent with the former address after that belong to its owner at
that time, and are not moved.
"""

from collections.abc import Iterator

import sqlalchemy as sa

from portal.delivery.envelopes import person
from portal.delivery.envelopes.kinds import Contents
from portal.delivery.record_changes.model import ChangePayload
from portal.people.index import history, index
from portal.people.signin import sessions
from portal.platform.crypto.sealing import Seal, address_hashes, folded


def follow_delivery(
    connection: sa.Connection, seal: Seal, *, tenant: str, key: str, contents: Contents[ChangePayload]
) -> None:
    """Update the index and the sessions. key: the candidate's in the index; contents: the change that was delivered."""
    change = contents.payload
    if change.update.emails is None:
        return
    keys = _keys(seal, tenant, key, change)
    index.readdress(connection, seal, tenant, keys, [entry.email for entry in change.update.emails])
    for old, new in _replacements(connection, seal, tenant, keys, contents):
        sessions.move(connection, seal, tenant=tenant, old=old, new=new, candidates=keys)


def move(connection: sa.Connection, seal: Seal, *, tenant: str, key: str, contents: Contents[ChangePayload]) -> None:
    """Assign what removed addresses had sent, except for an address that a later change restored."""
    keys = _keys(seal, tenant, key, contents.payload)
    for old, new in _replacements(connection, seal, tenant, keys, contents):
        found = set(index.keys_at(connection, seal, tenant, old))
        if not found.isdisjoint(keys):
            continue
        # If the address also belongs to another candidate's record, the applications cannot be attributed to either.
        person.move(connection, seal, tenant=tenant, old=old, new=new, about=keys if found else None)


def _keys(seal: Seal, tenant: str, key: str, change: ChangePayload) -> list[str]:
    return list(dict.fromkeys((key, *seal.hashes("candidate", tenant, change.candidate_id))))


def _replacements(
    connection: sa.Connection, seal: Seal, tenant: str, keys: list[str], contents: Contents[ChangePayload]
) -> Iterator[tuple[str, str]]:
    """Yield each removed address of this person with the one that replaces it."""
    change = contents.payload
    stays = [entry.email for entry in change.update.emails or ()]
    known = history.addresses(connection, tenant=tenant, keys=keys)

    def is_theirs(email: str) -> bool:
        return folded(email) == folded(contents.email) or not known.isdisjoint(address_hashes(seal, tenant, email))

    heirs = [*change.proven, *filter(is_theirs, stays)]
    if heirs:
        yield from ((old, heirs[0]) for old in change.left if is_theirs(old))
