"""The index of a tenant's candidates: what a pass over §4.2 makes of a page (passes/ makes the pass)."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from portal.candidates.index import addresses_of, candidate_key, remove, write_addresses
from portal.candidates.tables import candidate_addresses, candidates
from portal.clock import Clock
from portal.contract.candidates import Candidate
from portal.db import Database
from portal.passes.deletions import Missing
from portal.passes.reader import Reader, Reading, Report
from portal.passes.run import ANY_PASS, Order, run
from portal.passes.tables import ListName
from portal.sealing import Seal
from portal.tenants.model import Tenant
from portal.upstream.client import Page, Upstream
from portal.upstream.members import Members

_READ: Members = {"id": None, "emails": {"emails": {"email": None}}, "modifiedAt": None}


def sync(db: Database, upstream: Upstream, tenant: Tenant, seal: Seal, clock: Clock, order: Order = ANY_PASS) -> Report:
    """One pass over the tenant's candidates; order and errors as in passes.run."""

    def reader(reading: Reading) -> Reader[Candidate]:
        return _Index(db, upstream, tenant.slug, seal, reading)

    return run(db, ListName.CANDIDATES, tenant.slug, clock, reader, order)


@dataclass(frozen=True, slots=True)
class _Facts:
    row: int
    key: str
    modified_at: datetime | None
    addresses: frozenset[str]


class _Index(Reader[Candidate]):
    def __init__(self, db: Database, upstream: Upstream, tenant: str, seal: Seal, reading: Reading) -> None:
        self._db = db
        self._upstream = upstream
        self._tenant = tenant
        self._seal = seal
        self._reading = reading

    def fetch(self, *, limit: int, modified_since: datetime | None, cursor: str | None) -> Page[Candidate]:
        return self._upstream.candidates(limit=limit, modified_since=modified_since, cursor=cursor, reading=_READ)

    def dated(self, record: Candidate) -> datetime | None:
        return record.modified_at

    def store(self, page: Page[Candidate]) -> None:
        self._reading.report.bad += len(page.bad)
        wanted = {candidate_key(self._seal, self._tenant, one.id): one for one in page.items}
        former = {old: key for key, one in wanted.items() for old in self._keys(one.id)}
        with self._db.read() as connection:
            known = self._known(connection, former)
        stands = {former[facts.key]: facts for facts in known}
        fresh = {key: one for key, one in wanted.items() if not self._is_same(key, one, stands.get(key))}
        if fresh:
            with self._reading.lease.write() as connection:
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

    def withdraw(self, missing: Missing, seen: Collection[str]) -> None:  # noqa: ARG002  the reader's signature
        if missing.rows:
            with self._reading.lease.write() as connection:
                remove(connection, missing.rows)

    def _keys(self, candidate_id: str) -> list[str]:
        """Of a candidate by every secret key, the present one first."""
        return self._seal.hashes("candidate", self._tenant, candidate_id)

    def _known(self, connection: sa.Connection, keys: Iterable[str]) -> list[_Facts]:
        c, a = candidates.c, candidate_addresses.c
        query = (
            sa.select(c.row, c.key, c.modified_at, a.address)
            .outerjoin(candidate_addresses, a.candidate == c.row)
            .where(c.tenant == self._tenant, c.key.in_(list(keys)))
        )
        found: dict[str, _Facts] = {}
        for row in connection.execute(query):
            before = found.get(row.key)
            addresses = (before.addresses if before else frozenset()) | ({row.address} if row.address else set())
            found[row.key] = _Facts(row.row, row.key, row.modified_at, addresses)
        return list(found.values())

    def _is_same(self, key: str, one: Candidate, facts: _Facts | None) -> bool:
        return (
            facts is not None
            and facts.key == key
            and facts.modified_at == one.modified_at
            and facts.addresses == self._addresses(one)
        )

    def _addresses(self, one: Candidate) -> frozenset[str]:
        entries = (one.emails.emails if one.emails else None) or ()
        return addresses_of(self._seal, self._tenant, (entry.email for entry in entries))

    def _store(self, connection: sa.Connection, key: str, one: Candidate, facts: _Facts | None) -> None:
        values = {"key": key, "sealed_id": self._seal.seal(one.id), "modified_at": one.modified_at}
        if facts is None:
            insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
            statement = insert(candidates).values(tenant=self._tenant, **values)
            statement = statement.on_conflict_do_update(index_elements=["tenant", "key"], set_=values)
            row = connection.execute(statement.returning(candidates.c.row)).scalar_one()
        else:
            row = facts.row
            connection.execute(candidates.update().where(candidates.c.row == row).values(**values))
        write_addresses(connection, self._tenant, row, self._addresses(one))
