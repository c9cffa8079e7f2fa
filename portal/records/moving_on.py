"""A change of address that was delivered takes along what its person sent with the former address.

Everything is tied to a keyed hash of an address, and a former address opens the record no more. So in the transaction
that records the delivery: 1. the index has the record's addresses, before any pass; 2. what was sent with an address
that left goes to one that stays; 3. the session that proved both goes on with the new one.

Only between two addresses that were proven to be this person's: each led its reader into this very record, or was
typed a code for. What is sent with the former address later is somebody's who reads it then, and stays there.
"""

import sqlalchemy as sa

from portal.candidates import history, index
from portal.deliveries import person
from portal.deliveries.kinds import Contents
from portal.records.payload import ChangePayload
from portal.sealing import Seal, address_hashes, folded
from portal.signin import sessions


def follow(connection: sa.Connection, seal: Seal, *, tenant: str, key: str, said: Contents[ChangePayload]) -> None:
    """key: the candidate's in the index; said: the change that was delivered."""
    change = said.payload
    if change.update.emails is None:
        return
    stays = [entry.email for entry in change.update.emails]
    keys = list(dict.fromkeys((key, *seal.hashes("candidate", tenant, change.candidate_id))))
    index.readdress(connection, seal, tenant, keys, stays)
    known = history.addresses(connection, tenant=tenant, keys=keys)

    def is_theirs(email: str) -> bool:
        return folded(email) == folded(said.email) or not known.isdisjoint(address_hashes(seal, tenant, email))

    heirs = [*change.proven, *filter(is_theirs, stays)]
    if not heirs:
        return
    new = heirs[0]
    for old in filter(is_theirs, change.left):
        # Where the address leads to somebody else's record too, nobody can tell whose each application is.
        shared = not set(index.keys_at(connection, seal, tenant, old)).issubset(keys)
        person.move(connection, seal, tenant=tenant, old=old, new=new, about=keys if shared else None)
        sessions.move(connection, seal, tenant=tenant, old=old, new=new, candidates=keys)
