"""Encrypt what is sealed with former secret keys anew, while everything runs.

Rows that are of the current key already are skipped, so a run that was interrupted continues. A row is changed only if
it still is as it was read. With what is sealed, the keyed hashes beside it are made anew, and those of everything else
that the same address sent.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from portal.background.mails.tables import letters
from portal.delivery.envelopes import person
from portal.delivery.envelopes.tables import deliveries
from portal.delivery.privacy_requests.tables import owed_requests
from portal.delivery.record_changes.undo_links import address_undos
from portal.delivery.uploads.tables import asked, uploads
from portal.jobs.alerts.tables import alerts
from portal.operations.backup.manifest import Report
from portal.people.index.tables import candidates
from portal.people.signin.tables import code_requests, sessions
from portal.platform.crypto.sealing import Seal, Unreadable, address_hashes
from portal.platform.database.db import Database

_AT_ONCE = 200
UNKNOWN = -1
"""The number of a key that is not set."""


@dataclass(frozen=True, slots=True)
class _Sealed:
    """A column of a table. address: reads the email address in the opened text. hashed: the column of its hash."""

    column: sa.Column[Any]
    address: Callable[[str], str] | None = None
    hashed: sa.Column[Any] | None = None

    @property
    def table(self) -> sa.Table:
        return self.column.table

    @property
    def key(self) -> sa.Column[Any]:
        (key,) = self.table.primary_key
        return key


def _first(text: str) -> str:
    return str(json.loads(text)[0])


_SEALED = (
    _Sealed(deliveries.c.sealed, _first, deliveries.c.person),
    _Sealed(deliveries.c.sources),
    _Sealed(uploads.c.sealed),
    _Sealed(asked.c.sealed),
    _Sealed(alerts.c.sealed, _first, alerts.c.recipient),
    _Sealed(letters.c.sealed, _first, letters.c.recipient),
    _Sealed(owed_requests.c.sealed_address, str, owed_requests.c.address),
    _Sealed(code_requests.c.sealed_address, str, code_requests.c.address),
    _Sealed(sessions.c.sealed_address, str, sessions.c.address),
    _Sealed(address_undos.c.sealed),
    _Sealed(candidates.c.sealed_id),
)


def count_by_key(db: Database, seal: Seal) -> Counter[int]:
    """Return how many texts are sealed with each key: 0 the current one, 1 the first fallback, UNKNOWN none of them."""
    found: Counter[int] = Counter()
    for one in _SEALED:
        for rows in _batches(db, one):
            found.update(_key_of(seal, row.sealed) for row in rows)
    return found


def rekey(db: Database, seal: Seal, report: Report) -> Counter[int]:
    """Make everything of the current key; return how many texts were of which key before."""
    found: Counter[int] = Counter()
    for one in _SEALED:
        done = 0
        for rows in _batches(db, one):
            former = {row.id: key for row in rows if (key := _key_of(seal, row.sealed))}
            found.update(former.values())
            found[0] += len(rows) - len(former)
            for row in rows:
                if former.get(row.id, UNKNOWN) != UNKNOWN:
                    with db.write() as connection:  # one each: workers, which settle many at once, wait for few
                        _change(connection, seal, one, row)
            done += len(rows)
            report(f"{one.table.name} rows", done, 0)
    return found


def _change(connection: sa.Connection, seal: Seal, one: _Sealed, row: sa.Row[Any]) -> None:
    text = seal.open(row.sealed)
    values = {one.column.name: seal.seal(text)}
    if one.address is not None and one.hashed is not None:
        email = one.address(text)
        current, *former = address_hashes(seal, row.tenant, email)
        if row.hashed in former:
            values[one.hashed.name] = current
        person.move(connection, seal, tenant=row.tenant, old=email, new=email, about=None)
    connection.execute(one.table.update().where(one.key == row.id, one.column == row.sealed).values(values))


def _key_of(seal: Seal, sealed: str) -> int:
    try:
        return seal.key_of(sealed)
    except Unreadable:
        return UNKNOWN


def _batches(db: Database, one: _Sealed) -> Iterator[list[sa.Row[Any]]]:
    hashed = sa.null() if one.hashed is None else one.hashed
    query = (
        sa.select(one.key.label("id"), one.table.c.tenant, one.column.label("sealed"), hashed.label("hashed"))
        .where(one.column.is_not(None))
        .order_by(one.key)
        .limit(_AT_ONCE)
    )
    rows: list[sa.Row[Any]] = []
    while True:
        with db.read() as connection:
            rows = list(connection.execute(query.where(one.key > rows[-1].id) if rows else query))
        if not rows:
            return
        yield rows
