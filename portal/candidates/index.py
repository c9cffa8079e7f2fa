"""Find who an address belongs to; the candidate's id leaves this module only towards the service."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from portal.candidates.tables import candidate_addresses, candidates
from portal.db import Database
from portal.sealing import Seal, address_hash, address_hashes


@dataclass(frozen=True, slots=True)
class Indexed:
    """One candidate as the index knows it. candidate_id is a secret: whoever knows it may write to the record.

    keys: what the candidate is called within the portal, under every secret key; what is older bears a former one.
    """

    key: str
    candidate_id: str = field(repr=False)
    modified_at: datetime | None
    keys: tuple[str, ...] = ()


def candidate_key(seal: Seal, tenant: str, candidate_id: str) -> str:
    """What a candidate is called within the portal: a keyed hash, 64 hex digits."""
    return seal.hash("candidate", tenant, candidate_id)


def known(db: Database, seal: Seal, tenant: str, email: str) -> bool:
    """Whether any candidate of the tenant has this address."""
    with db.read() as connection:
        return bool(_rows(connection, tenant, address_hashes(seal, tenant, email)))


def with_address(db: Database, seal: Seal, tenant: str, email: str) -> list[Indexed]:
    """Every candidate of the tenant that has this address, in a fixed order."""
    with db.read() as connection:
        rows = _rows(connection, tenant, address_hashes(seal, tenant, email))
    return [_indexed(seal, tenant, row) for row in rows]


def one(db: Database, seal: Seal, tenant: str, email: str, key: str) -> Indexed | None:
    """The candidate of that key, as long as the address is still theirs."""
    return next((found for found in with_address(db, seal, tenant, email) if key in found.keys), None)


def forget(connection: sa.Connection, seal: Seal, tenant: str, email: str, *, key: str | None) -> list[str]:
    """Take the candidate of `key`, or every one of that address where it is None, out of the index; returns their keys,
    under every secret key.
    """
    rows = _rows(connection, tenant, address_hashes(seal, tenant, email))
    theirs = {row.row: _indexed(seal, tenant, row) for row in rows}
    gone = {row: one for row, one in theirs.items() if key is None or key in one.keys}
    remove(connection, list(gone))
    return [key for one in gone.values() for key in one.keys]


def keys_at(connection: sa.Connection, seal: Seal, tenant: str, email: str) -> list[str]:
    """Of every candidate of that address, under every secret key."""
    rows = _rows(connection, tenant, address_hashes(seal, tenant, email))
    return [key for row in rows for key in _indexed(seal, tenant, row).keys]


def readdress(connection: sa.Connection, seal: Seal, tenant: str, keys: Collection[str], emails: Iterable[str]) -> None:
    """The addresses that a candidate has from now on; nothing happens to one that the index does not have."""
    c = candidates.c
    for row in connection.scalars(sa.select(c.row).where(c.tenant == tenant, c.key.in_(keys))).all():
        write_addresses(connection, tenant, row, addresses_of(seal, tenant, emails))


def write_addresses(connection: sa.Connection, tenant: str, row: int, addresses: Iterable[str]) -> None:
    """Put these in the place of a row's addresses. addresses: keyed hashes, each once."""
    connection.execute(candidate_addresses.delete().where(candidate_addresses.c.candidate == row))
    values = [{"tenant": tenant, "candidate": row, "address": address} for address in sorted(addresses)]
    if values:
        connection.execute(candidate_addresses.insert(), values)


def remove(connection: sa.Connection, rows: Iterable[int]) -> int:
    """Take rows out of the index, with their addresses."""
    gone = list(rows)
    for start in range(0, len(gone), 500):
        part = gone[start : start + 500]
        connection.execute(candidate_addresses.delete().where(candidate_addresses.c.candidate.in_(part)))
        connection.execute(candidates.delete().where(candidates.c.row.in_(part)))
    return len(gone)


def addresses_of(seal: Seal, tenant: str, emails: Iterable[str | None]) -> frozenset[str]:
    """Keyed hashes of the addresses that are any."""
    return frozenset(address_hash(seal, tenant, email) for email in emails if email and email.strip())


def _indexed(seal: Seal, tenant: str, row: sa.Row[Any]) -> Indexed:
    candidate_id = seal.open(row.sealed_id)
    keys = dict.fromkeys((row.key, *seal.hashes("candidate", tenant, candidate_id)))
    return Indexed(row.key, candidate_id, row.modified_at, tuple(keys))


def _rows(connection: sa.Connection, tenant: str, hashes: list[str]) -> list[sa.Row[Any]]:
    query = (
        sa.select(candidates.c.row, candidates.c.key, candidates.c.sealed_id, candidates.c.modified_at)
        .join(candidate_addresses, candidate_addresses.c.candidate == candidates.c.row)
        .where(candidate_addresses.c.tenant == tenant, candidate_addresses.c.address.in_(hashes))
        .distinct()
        .order_by(candidates.c.row)
    )
    return list(connection.execute(query))
