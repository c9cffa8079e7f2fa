"""Find the candidates of an email address; a candidate's id leaves this module only for requests to the service.

The sync of a tenant's candidates stores pages of §4.2 here, which background/sync reads.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from portal.adapters.tracker_client.client import ListPage, TrackerClient
from portal.adapters.tracker_client.page import FieldSelection
from portal.background.sync.health import was_read_whole
from portal.background.sync.run import ANY_PASS, ListSink, PassOptions, Report, SyncRun, run
from portal.background.sync.state import Missing, rules_with_source
from portal.background.sync.tables import ListName
from portal.contract.candidates import Candidate
from portal.people.index.tables import candidate_addresses, candidates
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal, address_hash, address_hashes
from portal.platform.database.db import Database, insert
from portal.platform.errors import PortalError
from portal.tenants.model import Tenant


@dataclass(frozen=True, slots=True)
class IndexedCandidate:
    """One candidate in the index. candidate_id is a secret: it gives write access to the record.

    keys: the candidate's keys under every secret key; older rows elsewhere contain a former one.
    """

    key: str
    candidate_id: str = field(repr=False)
    modified_at: datetime | None
    keys: tuple[str, ...] = ()


def candidate_key(seal: Seal, tenant: str, candidate_id: str) -> str:
    """Return the portal's own id of a candidate: a keyed hash, 64 hex digits."""
    return seal.hash("candidate", tenant, candidate_id)


class CandidatesNotRead(PortalError):
    """No pass has ever read all of the tenant's candidates, so no address can be ruled out as a candidate's."""

    transient = True


def known(db: Database, seal: Seal, tenant: str, email: str) -> bool:
    """Return whether any candidate of the tenant has this address, as far as the candidates were read."""
    with db.read() as connection:
        return bool(_rows(connection, tenant, address_hashes(seal, tenant, email)))


def known_for_certain(db: Database, seal: Seal, tenant: str, email: str) -> bool:
    """Return the same; raises CandidatesNotRead if the address is unknown, but not all candidates have been read
    yet."""
    found = known(db, seal, tenant, email)
    if not found and not was_read_whole(db, ListName.CANDIDATES, tenant):
        raise CandidatesNotRead("the candidates have not been read yet: the code waits for the first pass over them")
    return found


def with_address(db: Database, seal: Seal, tenant: str, email: str) -> list[IndexedCandidate]:
    """Return every candidate of the tenant that has this address, in a fixed order."""
    with db.read() as connection:
        return at_address(connection, seal, tenant, email)


def at_address(connection: sa.Connection, seal: Seal, tenant: str, email: str) -> list[IndexedCandidate]:
    """Return every candidate with this address, within the caller's transaction."""
    rows = _rows(connection, tenant, address_hashes(seal, tenant, email))
    return [_indexed(seal, tenant, row) for row in rows]


def one(db: Database, seal: Seal, tenant: str, email: str, key: str) -> IndexedCandidate | None:
    """Return the candidate with that key, if the address still belongs to it; else None."""
    return next((found for found in with_address(db, seal, tenant, email) if key in found.keys), None)


def modified_at(db: Database, seal: Seal, tenant: str, candidate_id: str) -> datetime | None:
    """Return when the record was last modified, as far as the index knows; None if it is unknown."""
    c = candidates.c
    keys = seal.hashes("candidate", tenant, candidate_id)
    query = sa.select(sa.func.max(c.modified_at)).where(c.tenant == tenant, c.key.in_(keys))
    latest: datetime | None = db.value(query)
    return latest


def forget(connection: sa.Connection, seal: Seal, tenant: str, email: str, *, key: str | None) -> list[str]:
    """Remove the candidate of `key` from the index, or every candidate with that address if `key` is None.

    Return their keys, under every secret key.
    """
    rows = _rows(connection, tenant, address_hashes(seal, tenant, email))
    theirs = {row.row: _indexed(seal, tenant, row) for row in rows}
    gone = {row: one for row, one in theirs.items() if key is None or key in one.keys}
    remove(connection, list(gone))
    return [key for one in gone.values() for key in one.keys]


def keys_at(connection: sa.Connection, seal: Seal, tenant: str, email: str) -> list[str]:
    """Return the keys of every candidate with that address, under every secret key."""
    return [key for one in at_address(connection, seal, tenant, email) for key in one.keys]


def readdress(connection: sa.Connection, seal: Seal, tenant: str, keys: Collection[str], emails: Iterable[str]) -> None:
    """Set the addresses of a candidate; do nothing if it is not in the index."""
    c = candidates.c
    for row in connection.scalars(sa.select(c.row).where(c.tenant == tenant, c.key.in_(keys))).all():
        write_addresses(connection, tenant, row, addresses_of(seal, tenant, emails))


def write_addresses(connection: sa.Connection, tenant: str, row: int, addresses: Iterable[str]) -> None:
    """Replace a row's addresses. addresses: keyed hashes without duplicates."""
    connection.execute(candidate_addresses.delete().where(candidate_addresses.c.candidate == row))
    values = [{"tenant": tenant, "candidate": row, "address": address} for address in sorted(addresses)]
    if values:
        connection.execute(candidate_addresses.insert(), values)


def remove(connection: sa.Connection, rows: Iterable[int]) -> int:
    """Delete rows from the index, with their addresses."""
    gone = list(rows)
    for start in range(0, len(gone), 500):
        part = gone[start : start + 500]
        connection.execute(candidate_addresses.delete().where(candidate_addresses.c.candidate.in_(part)))
        connection.execute(candidates.delete().where(candidates.c.row.in_(part)))
    return len(gone)


def addresses_of(seal: Seal, tenant: str, emails: Iterable[str | None]) -> frozenset[str]:
    """Return keyed hashes of the addresses that are not empty."""
    return frozenset(address_hash(seal, tenant, email) for email in emails if email and email.strip())


def _indexed(seal: Seal, tenant: str, row: sa.Row[Any]) -> IndexedCandidate:
    candidate_id = seal.open(row.sealed_id)
    keys = dict.fromkeys((row.key, *seal.hashes("candidate", tenant, candidate_id)))
    return IndexedCandidate(row.key, candidate_id, row.modified_at, tuple(keys))


def _rows(connection: sa.Connection, tenant: str, hashes: list[str]) -> list[sa.Row[Any]]:
    query = (
        sa.select(candidates.c.row, candidates.c.key, candidates.c.sealed_id, candidates.c.modified_at)
        .join(candidate_addresses, candidate_addresses.c.candidate == candidates.c.row)
        .where(candidate_addresses.c.tenant == tenant, candidate_addresses.c.address.in_(hashes))
        .distinct()
        .order_by(candidates.c.row)
    )
    return list(connection.execute(query))


_READ: FieldSelection = {"id": None, "emails": {"emails": {"email": None}}, "modifiedAt": None}


def sync(
    db: Database, upstream: TrackerClient, tenant: Tenant, seal: Seal, clock: Clock, options: PassOptions = ANY_PASS
) -> Report:
    """Make one pass over the tenant's candidates; options and errors as in background.sync.run."""

    def reader(reading: SyncRun) -> ListSink[Candidate]:
        return _CandidateIndex(db, upstream, tenant.slug, seal, reading)

    mine = replace(options, rules=rules_with_source(tenant.tracker))
    return run(db, ListName.CANDIDATES, tenant.slug, clock, reader, mine)


@dataclass(frozen=True, slots=True)
class _CandidateFacts:
    row: int
    key: str
    modified_at: datetime | None
    addresses: frozenset[str]


class _CandidateIndex(ListSink[Candidate]):
    def __init__(self, db: Database, upstream: TrackerClient, tenant: str, seal: Seal, reading: SyncRun) -> None:
        self._db = db
        self._upstream = upstream
        self._tenant = tenant
        self._seal = seal
        self._reading = reading

    def fetch(self, *, limit: int, modified_since: datetime | None, cursor: str | None) -> ListPage[Candidate]:
        return self._upstream.candidates(limit=limit, modified_since=modified_since, cursor=cursor, reading=_READ)

    def dated(self, record: Candidate) -> datetime | None:
        return record.modified_at

    def store(self, page: ListPage[Candidate]) -> None:
        self._reading.report.bad += len(page.bad)
        wanted = {candidate_key(self._seal, self._tenant, one.id): one for one in page.items}
        former = {old: key for key, one in wanted.items() for old in self._keys(one.id)}
        with self._db.read() as connection:
            known = self._known(connection, former)
        # Keep the row of the current key; a pass while the former key was missing has stored a second row.
        stands = {former[facts.key]: facts for facts in sorted(known, key=lambda one: one.key in wanted)}
        twins = [facts.row for facts in known if facts is not stands[former[facts.key]]]
        fresh = {key: one for key, one in wanted.items() if not self._is_same(key, one, stands.get(key))}
        if fresh or twins:
            with self._reading.lease.write() as connection:
                remove(connection, twins)
                for key, one in fresh.items():
                    self._store(connection, key, one, stands.get(key))
            self._reading.report.changed += len(fresh)

    def missing(self, seen: Collection[str]) -> Missing:
        there = {key for candidate_id in seen for key in self._keys(candidate_id)}
        with self._db.read() as connection:
            query = sa.select(candidates.c.row, candidates.c.key).where(candidates.c.tenant == self._tenant)
            every = connection.execute(query).all()
        rows = sorted(each.row for each in every if each.key not in there)
        return Missing(rows, counted=len(rows), of=len(every), called="candidates")

    def withdraw(self, missing: Missing, seen: Collection[str]) -> None:  # noqa: ARG002  part of the Reader interface
        if missing.rows:
            with self._reading.lease.write() as connection:
                remove(connection, missing.rows)

    def _keys(self, candidate_id: str) -> list[str]:
        """Return the keys of a candidate by every secret key, the current one first."""
        return self._seal.hashes("candidate", self._tenant, candidate_id)

    def _known(self, connection: sa.Connection, keys: Iterable[str]) -> list[_CandidateFacts]:
        c, a = candidates.c, candidate_addresses.c
        query = (
            sa.select(c.row, c.key, c.modified_at, a.address)
            .outerjoin(candidate_addresses, a.candidate == c.row)
            .where(c.tenant == self._tenant, c.key.in_(list(keys)))
        )
        found: dict[str, _CandidateFacts] = {}
        for row in connection.execute(query):
            before = found.get(row.key)
            addresses = (before.addresses if before else frozenset()) | ({row.address} if row.address else set())
            found[row.key] = _CandidateFacts(row.row, row.key, row.modified_at, addresses)
        return list(found.values())

    def _is_same(self, key: str, one: Candidate, facts: _CandidateFacts | None) -> bool:
        return (
            facts is not None
            and facts.key == key
            and facts.modified_at == one.modified_at
            and facts.addresses == self._addresses(one)
        )

    def _addresses(self, one: Candidate) -> frozenset[str]:
        entries = (one.emails.emails if one.emails else None) or ()
        return addresses_of(self._seal, self._tenant, (entry.email for entry in entries))

    def _store(self, connection: sa.Connection, key: str, one: Candidate, facts: _CandidateFacts | None) -> None:
        values = {"key": key, "sealed_id": self._seal.seal(one.id), "modified_at": one.modified_at}
        if facts is None:
            statement = insert(connection, candidates).values(tenant=self._tenant, **values)
            statement = statement.on_conflict_do_update(index_elements=["tenant", "key"], set_=values)
            row = connection.execute(statement.returning(candidates.c.row)).scalar_one()
        else:
            row = facts.row
            connection.execute(candidates.update().where(candidates.c.row == row).values(**values))
        write_addresses(connection, self._tenant, row, self._addresses(one))
