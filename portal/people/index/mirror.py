"""The sync of a tenant's candidates into the index: stores pages of §4.2, which background/sync reads."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime

import sqlalchemy as sa

from portal.adapters.tracker_client.client import ListPage, TrackerClient
from portal.adapters.tracker_client.page import FieldSelection
from portal.background.sync.run import ANY_PASS, ListSink, PassOptions, Report, SyncRun, run
from portal.background.sync.state import Missing, rules_with_source
from portal.background.sync.tables import ListName
from portal.contract.candidates import Candidate
from portal.people.index.index import addresses_of, candidate_key, remove, write_addresses
from portal.people.index.tables import candidate_addresses, candidates
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import Database, insert
from portal.tenants.model import Tenant

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
