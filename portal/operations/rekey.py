"""Re-encrypt and re-hash, with the current secret key, the data of former keys, during operation.

Rows that already use the current key are skipped, so an interrupted run can be continued. A row is changed only if it
is still as it was read. Hashes of an address or a candidate's id are replaced in all tables once the value has been
decrypted somewhere; hashes of addresses that are stored nowhere stay as they are.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from portal.background.mails.tables import letters
from portal.delivery.envelopes.tables import deliveries, secret_keys
from portal.delivery.privacy_requests.tables import owed_requests
from portal.delivery.record_changes.undo_links import address_undos
from portal.delivery.uploads.tables import asked, uploads
from portal.jobs.alerts.subscribing import comparison_hash
from portal.jobs.alerts.tables import alerts
from portal.people.index.tables import candidates, record_history
from portal.people.signin.tables import code_requests, sessions
from portal.platform.crypto.sealing import Seal, Unreadable, address_hashes
from portal.platform.database.db import Database

_AT_ONCE = 200
_UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class KeyUse:
    """How many encrypted texts each key has: by its number, 0 for the current one; by table for missing keys."""

    by_key: Counter[int] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)

    def count(self, table: sa.Table, number: int) -> None:
        """Count one text."""
        if number == _UNKNOWN:
            self.unknown[table.name] += 1
        else:
            self.by_key[number] += 1

    def unreadable(self) -> str:
        """Return the rows of keys that are not set, in words: `3 rows are of a key that is not set (deliveries 3)`."""
        tables = ", ".join(f"{name} {rows}" for name, rows in sorted(self.unknown.items()))
        return f"{self.unknown.total()} rows are of a key that is not set{f' ({tables})' if tables else ''}"


@dataclass(frozen=True, slots=True)
class _Sealed:
    """A column of a table. email: reads the email address in the opened text. is_candidate: the text is an id."""

    column: sa.Column[Any]
    email: Callable[[str], str] | None = None
    is_candidate: bool = False

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
    _Sealed(deliveries.c.sealed, _first),
    _Sealed(deliveries.c.sources),
    _Sealed(uploads.c.sealed),
    _Sealed(asked.c.sealed),
    _Sealed(alerts.c.sealed, _first),
    _Sealed(letters.c.sealed, _first),
    _Sealed(owed_requests.c.sealed_address, str),
    _Sealed(code_requests.c.sealed_address, str),
    _Sealed(sessions.c.sealed_address, str),
    _Sealed(address_undos.c.sealed),
    _Sealed(candidates.c.sealed_id, is_candidate=True),
)
_ADDRESSES = (
    deliveries.c.person,
    record_history.c.address,
    alerts.c.recipient,
    letters.c.recipient,
    owed_requests.c.address,
    code_requests.c.address,
    sessions.c.address,
    address_undos.c.address,
)
"""Hashes of addresses, except those in the index of candidates, which a full pass over the service's list replaces."""
_CANDIDATES = (deliveries.c.about, record_history.c.candidate, sessions.c.candidate, address_undos.c.candidate)
"""Hashes of candidates' ids, except those in the index, which a full pass replaces."""


def use_of_keys(db: Database, seal: Seal) -> KeyUse:
    """Return how many texts are sealed with which key."""
    found = KeyUse()
    for one in _SEALED:
        for rows in _batches(db.read, one):
            for row in rows:
                found.count(one.table, _key_of(seal, row.sealed))
    return found


def needed_keys(connection: sa.Connection, seal: Seal) -> tuple[tuple[str, ...], str]:
    """Return the fingerprints of the current key and of fallbacks that are still needed; and a warning.

    The warning says how many rows need keys that are not set, and which keys these may be; "" if there are none.
    """
    found = KeyUse(Counter({0: 1}))
    for one in _SEALED:
        for rows in _batches(lambda: nullcontext(connection), one):
            for row in rows:
                found.count(one.table, _key_of(seal, row.sealed))
    needed = tuple(name for number, name in enumerate(seal.fingerprints) if found.by_key[number])
    if not found.unknown:
        return needed, ""
    used = connection.scalars(sa.select(secret_keys.c.fingerprint).order_by(secret_keys.c.first_used_at))
    names = ", ".join(one for one in used if one not in seal.fingerprints)
    return needed, found.unreadable() + (f"; used here before and not set: {names}" if names else "")


def count_unread_candidates(db: Database, seal: Seal) -> int:
    """Return how many candidates the index has under a former key only, until a full pass reads them again."""
    one, found = _SEALED[-1], 0
    for rows in _batches(db.read, one):
        for row in rows:
            text = _opened(seal, row.sealed)
            found += text is not None and seal.hash("candidate", row.tenant, text) != row.name
    return found


def rekey(db: Database, seal: Seal, report: Callable[[str, int, int], object]) -> KeyUse:
    """Re-encrypt and re-hash everything with the current key; return how many texts each key had before."""
    found = KeyUse()
    for one in _SEALED:
        done = 0
        for rows in _batches(db.read, one):
            for row in rows:
                number = _key_of(seal, row.sealed)
                found.count(one.table, number)
                if number > 0:
                    with db.write() as connection:  # small transactions, so that workers wait only briefly
                        _seal_anew(connection, seal, one, row)
            _hash_anew(db, seal, one, rows)
            done += len(rows)
            report(f"{one.table.name} rows", done, 0)
    return found


def _seal_anew(connection: sa.Connection, seal: Seal, one: _Sealed, row: sa.Row[Any]) -> None:
    text = seal.open(row.sealed)
    values = {one.column: seal.seal(text)}
    if one.table is alerts:
        same = comparison_hash(seal, row.tenant, text)
        if connection.scalar(sa.select(alerts.c.id).where(alerts.c.same == same)) is None:
            values[alerts.c.same] = same  # else a duplicate exists, made while the key was missing
    connection.execute(one.table.update().where(one.key == row.id, one.column == row.sealed).values(values))


def _hash_anew(db: Database, seal: Seal, one: _Sealed, rows: list[sa.Row[Any]]) -> None:
    """Replace the hashes, by former keys, of the addresses or candidates that these rows contain."""
    if one.email is None and not one.is_candidate:
        return
    current: dict[str, dict[str, str]] = defaultdict(dict)
    for row in rows:
        if (text := _opened(seal, row.sealed)) is not None:
            if one.email is not None:
                first, *former = address_hashes(seal, row.tenant, one.email(text))
            else:
                first, *former = seal.hashes("candidate", row.tenant, text)
            current[row.tenant].update(dict.fromkeys(former, first))
    for tenant, known in current.items():
        for column in _CANDIDATES if one.is_candidate else _ADDRESSES:
            _replace(db, column, tenant, known)


def _replace(db: Database, column: sa.Column[Any], tenant: str, current: Mapping[str, str]) -> None:
    of_tenant = column.table.c.tenant == tenant
    with db.read() as connection:
        found = connection.scalars(sa.select(column).where(of_tenant, column.in_(list(current))).distinct()).all()
    for former in found:
        with db.write() as connection:
            changed = column.table.update().where(of_tenant, column == former)
            connection.execute(changed.values({column: current[former]}))


def _opened(seal: Seal, sealed: str) -> str | None:
    try:
        return seal.open(sealed)
    except Unreadable:
        return None


def _key_of(seal: Seal, sealed: str) -> int:
    try:
        return seal.key_of(sealed)
    except Unreadable:
        return _UNKNOWN


def _batches(read: Callable[[], AbstractContextManager[sa.Connection]], one: _Sealed) -> Iterator[list[sa.Row[Any]]]:
    name = one.table.c.key if one.is_candidate else sa.null()
    query = (
        sa.select(one.key.label("id"), one.table.c.tenant, one.column.label("sealed"), name.label("name"))
        .where(one.column.is_not(None))
        .order_by(one.key)
        .limit(_AT_ONCE)
    )
    rows: list[sa.Row[Any]] = []
    while True:
        with read() as connection:
            rows = list(connection.execute(query.where(one.key > rows[-1].id) if rows else query))
        if not rows:
            return
        yield rows
