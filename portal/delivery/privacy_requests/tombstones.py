"""Tombstones: records of erased people, so that restoring a database older than the erasure does not bring them back.

An erasure records a tombstone in its transaction. A worker stores it as an object outside the database, in
PORTAL_ERASURES. If there is an object that the database does not know, the database was restored to a state before that
erasure: then everything that was erased is erased again.

A tombstone has a keyed hash of the address for every secret key that was set at the erasure, because an older database
may have the address hashed with any of them. A hash cannot be reversed, so a new secret key changes none.

Its key ends in the SHA-256 of its content, so that damage is noticed in every copy of it.
"""

import hashlib
import io
import logging
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated

import sqlalchemy as sa
from pydantic import AwareDatetime, Field, TypeAdapter, ValidationError

from portal.adapters.storage.opening import within
from portal.adapters.storage.store import INCOMING_TYPE, TOMBSTONES, Store
from portal.background.mails import queue as mail_queue
from portal.contract.bounds import SLUG
from portal.delivery.envelopes import person
from portal.delivery.privacy_requests.tables import owed_requests, tombstones
from portal.delivery.record_changes import undo_links
from portal.jobs.alerts import subscribing as alerts
from portal.people.index import history, index
from portal.people.index.tables import candidate_addresses, candidates
from portal.people.signin import sessions
from portal.platform.database.db import Database, insert
from portal.platform.errors import AttachmentMissing, StoreMisconfigured
from portal.tenants.retention import Cutoffs

log = logging.getLogger(__name__)

CLOCKS_DIFFER = timedelta(minutes=15)
"""By how much clocks of this product's machines may differ, for erasures around a backup."""
_FAR_AHEAD = timedelta(days=1)
"""An erasure further in the future is not repeated yet: this machine's clock or the tombstone is wrong."""
_MOST = 128 * 1024
"""Bytes of a tombstone."""
_TIMEOUT, _LIST_TIMEOUT = 10.0, 120.0
"""Seconds for one object, and for the list of all: limits the delay by a storage that sends a byte a second."""
_READ_AT_MOST = 10
"""Tombstones that a survey reads."""
_AT_ONCE = 500
_t = tombstones.c
_Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
_Instant = Annotated[AwareDatetime, Field(ge=datetime(2000, 1, 1, tzinfo=UTC), le=datetime(2500, 1, 1, tzinfo=UTC))]
_RANDOM = 32
"""Number of random digits at the end of keys of an earlier release."""
_KEY = re.compile(f"{TOMBSTONES}[0-9]{{1,12}}-([0-9a-f]{{{_RANDOM}}}|[0-9a-f]{{64}})")


@dataclass(frozen=True, slots=True)
class Tombstone:
    """One erasure. addresses: keyed hashes. records: keys of the candidate's records. request: its reference."""

    tenant: Annotated[str, Field(pattern=f"^{SLUG.pattern}$")]
    erased_at: _Instant
    addresses: Annotated[tuple[_Hash, ...], Field(min_length=1, max_length=500)]
    records: Annotated[tuple[_Hash, ...], Field(max_length=500)]
    request: Annotated[str, Field(pattern="^[0-9A-Z]{20}$")]
    due_at: _Instant


_shape = TypeAdapter(Tombstone)


def is_tombstone(key: str) -> bool:
    """Return whether a key below TOMBSTONES is one that record() makes: all other objects there are ignored."""
    return _KEY.fullmatch(key) is not None


def record(connection: sa.Connection, one: Tombstone) -> None:
    """Record an erasure in its transaction."""
    content = _shape.dump_json(one)
    key = f"{TOMBSTONES}{int(one.erased_at.timestamp())}-{hashlib.sha256(content).hexdigest()}"
    _insert(connection, key, content, one, stored_at=None)


def _insert(connection: sa.Connection, key: str, content: bytes, one: Tombstone, *, stored_at: datetime | None) -> bool:
    """Insert a row; return whether it is new."""
    about = {"key": key, "tenant": one.tenant, "erased_at": one.erased_at}
    row = {**about, "content": content.decode(), "stored_at": stored_at}
    added = insert(connection, tombstones).values(row).on_conflict_do_nothing().returning(_t.key)
    return connection.execute(added).first() is not None


def count_unstored(db: Database, *, before: datetime) -> int:
    """Count the erasures before an instant that are recorded in the database alone."""
    query = sa.select(sa.func.count()).where(_t.stored_at.is_(None), _t.erased_at < before)
    return db.value(query) or 0


def store_new(db: Database, store: Store, now: datetime) -> None:
    """Store what was recorded since the last call. Raises StoreError."""
    rows = db.rows(sa.select(_t.key, _t.content).where(_t.stored_at.is_(None)))
    for row in rows:
        put(store, row.key, row.content.encode())
        db.run(tombstones.update().where(_t.key == row.key).values(stored_at=now))


def put(store: Store, key: str, content: bytes) -> None:
    """Store a tombstone. Raises StoreError."""
    about = {"media_type": INCOMING_TYPE, "filename": "tombstone"}
    within(_TIMEOUT, lambda: store.put(key, io.BytesIO(content), size=len(content), **about))


def keys(store: Store) -> set[str]:
    """Return the keys below TOMBSTONES. Raises StoreError."""
    return within(_LIST_TIMEOUT, lambda: set(store.keys(TOMBSTONES)))


def apply_unknown(db: Database, store: Store, now: datetime, *, timeout: float = _TIMEOUT) -> tuple[int, int]:
    """Repeat the erasures that the database has lost; return how many, and how many tombstones are damaged.

    One that is damaged is logged, each time, and does not stop the others. One that is missing in the storage, because
    PORTAL_ERASURES now names another storage, is stored again. Raises StoreError, DatabaseUnavailable.

    timeout: seconds for reading one.
    """
    known = {row.key: row.stored_at for row in db.rows(sa.select(_t.key, _t.stored_at))}
    there = set(filter(is_tombstone, keys(store)))
    unknown = sorted(there - known.keys())
    lost = [key for key, stored_at in known.items() if stored_at and key not in there]
    for start in range(0, len(lost), _AT_ONCE):
        with db.write() as connection:
            some = _t.key.in_(lost[start : start + _AT_ONCE])
            connection.execute(tombstones.update().where(some).values(stored_at=None))
    done = damaged = 0
    for key in unknown:
        try:
            content = read_whole(store, key, timeout=timeout)
        except AttachmentMissing:  # deleted since it was listed
            continue
        if content is None:
            damaged += 1
            log.error("a tombstone in PORTAL_ERASURES is damaged: restore that storage, or delete its object")
        elif (one := _shape.validate_json(content)).erased_at <= now + _FAR_AHEAD:
            with db.write() as connection:
                if _insert(connection, key, content, one, stored_at=now):
                    _erase_again(connection, one, now)
                    done += 1
    if done:
        log.warning("the database was restored: %d erasures that came after its state were done again", done)
    return done, damaged


def survey(db: Database, store: Store) -> tuple[int, int]:
    """Count the objects below TOMBSTONES that are no readable tombstone, and those that were not read.

    Only objects that the database does not know are read, and only a few, because each read is a request. Raises
    StoreError, DatabaseUnavailable.
    """
    known = set(db.values(sa.select(_t.key)))
    unknown = sorted(keys(store) - known)
    unread = [key for key in unknown if is_tombstone(key)]
    damaged = sum(_is_damaged(store, key) for key in unread[:_READ_AT_MOST])
    return len(unknown) - len(unread) + damaged, len(unread[_READ_AT_MOST:])


def _is_damaged(store: Store, key: str) -> bool:
    try:
        return read_whole(store, key) is None
    except AttachmentMissing:
        return False


def read_whole(store: Store, key: str, *, timeout: float = _TIMEOUT) -> bytes | None:
    """Return the content of a tombstone; None if it is damaged, or the storage denies access to it.

    Raises AttachmentMissing, StoreUnavailable.
    """

    def read() -> bytes:
        with store.open(key) as body:
            return body.read(_MOST)

    try:
        content = within(timeout, read)
        _shape.validate_json(content)
    except (ValidationError, StoreMisconfigured):
        return None
    digest = key.rpartition("-")[2]
    return content if digest in {hashlib.sha256(content).hexdigest(), digest[:_RANDOM]} else None


def _erase_again(connection: sa.Connection, one: Tombstone, now: datetime) -> None:
    """Repeat the erasure of requests.erase(), and open the request again: whether it was answered is not known.

    Data that came in before the erasure, but is dated later because of a clock that is ahead, is erased too.
    """
    slug, people, keys, until = one.tenant, one.addresses, one.records, one.erased_at + CLOCKS_DIFFER
    sessions.forget(connection, tenant=slug, addresses=people)
    sessions.forget_of_candidates(connection, tenant=slug, candidates=keys)
    a, c = candidate_addresses.c, candidates.c
    theirs = sa.or_(c.key.in_(keys), c.row.in_(sa.select(a.candidate).where(a.tenant == slug, a.address.in_(people))))
    index.remove(connection, connection.scalars(sa.select(c.row).where(c.tenant == slug, theirs)).all())
    person.erase_again(connection, tenant=slug, people=people, about=keys, until=until, now=now)
    history.erase(connection, tenant=slug, addresses=people, keys=keys)
    undo_links.forget(connection, tenant=slug, addresses=people, keys=keys)
    alerts.forget_person(connection, tenant=slug, addresses=people, now=now)
    mail_queue.withdraw_hashed(connection, tenant=slug, recipients=people, now=now)
    request = {
        "reference": one.request,
        "tenant": slug,
        "kind": "erase",
        "address": people[0],
        "locale": "en",
        "asked_at": one.erased_at,
        "due_at": one.due_at,
    }
    connection.execute(insert(connection, owed_requests).values(request).on_conflict_do_nothing())


def forget_old(db: Database, store: Store, old: Cutoffs) -> None:
    """Delete tombstones of erasures so old that no data from before them is kept anywhere. Raises StoreError."""
    keys = db.values(sa.select(_t.key).where(old.passed(_t.tenant, _t.erased_at)))
    for key in keys:
        store.delete(key)
        db.run(tombstones.delete().where(_t.key == key))
