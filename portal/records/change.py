"""Accept a change: one transaction, and only after its COMMIT a reference.

In order, all or nothing:
 1. the same form sent again is the same change;
 2. an earlier change of this record that is on its way makes way, or nothing is accepted (see below);
 3. the CV that came with it is claimed;
 4. the change is written, sealed, with what it is based on; the outbox row and the history with it;
 5. every address that the record had is told, if addresses changed.

An earlier change makes way only if its owner was told which one, and it certainly never reached the service. A change
says all that is shown (§4.10), so the later one says everything that is to be. The race with the worker that sends the
earlier one:
 1. two forms of one record: SQLite's one write lock, PostgreSQL's advisory lock; the second sees what the first wrote;
 2. UPDATE … discarded, with a new fence, WHERE it is held, due or retry AND never maybe_arrived;
 3. the worker claims by UPDATE WHERE fence, and commits `sending` before it connects. If it was first, 2 finds no row:
    StillOnItsWay, nothing is written. If 2 was first, the worker's fence is old: it claims nothing and sends nothing;
 4. the later change's row is in the same transaction: neither both go out nor none.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

import sqlalchemy as sa

from portal.applications import uploads
from portal.applications.accept import lane, new_reference
from portal.candidates.index import Indexed
from portal.clock import Clock
from portal.db import Database
from portal.errors import PortalError
from portal.letters import queue as letters
from portal.outbox import queue
from portal.outbox.states import UNFINISHED
from portal.records import history
from portal.records.current import Current
from portal.records.history import What
from portal.records.model import Record, addresses_changed, fingerprint, new_addresses, update_of
from portal.records.tables import SEALED, record_changes
from portal.sealing import Seal, folded
from portal.signin.sessions import Session
from portal.tenants.model import Tenant

KIND = "record"


@dataclass(frozen=True, slots=True)
class Waiting:
    """A change that is not settled. gives_way: it certainly never arrived, so a later one may take its place."""

    reference: str
    gives_way: bool


class StillOnItsWay(PortalError):
    """An earlier change of this record is not delivered yet: `waiting`."""

    def __init__(self, waiting: Waiting) -> None:
        super().__init__("an earlier change of this record is still on its way")
        self.waiting = waiting


@dataclass(frozen=True, slots=True)
class NewChange:
    """A form that passed every check. form_id: the same id again is the same change. upload: of a CV, or None.

    replaces: the reference of the earlier change that its owner was told this one replaces.
    """

    form_id: str
    after: Record = field(repr=False)
    upload: str | None
    locale: str
    replaces: str = ""


def accept(
    db: Database,
    seal: Seal,
    *,
    tenant: Tenant,
    session: Session,
    who: Indexed,
    before: Current,
    change: NewChange,
    clock: Clock,
    scanned: bool = True,
) -> str:
    """The reference of the change, committed to disk. Raises StillOnItsWay, UploadGone, DatabaseUnavailable."""
    now = clock.now()
    with db.write() as connection:
        one_at_a_time(connection, who.key)
        known = _known(connection, tenant.slug, change.form_id)
        if known is not None:
            return known
        waiting = pending(connection, tenant.slug, who.key)
        if waiting is not None:
            _replace(connection, tenant, session, who, waiting, change.replaces, now)
        reference = new_reference()
        key = change.upload and uploads.claim(
            connection, tenant=tenant.slug, form_id=change.form_id, handle=change.upload, reference=reference
        )
        values = {
            "reference": reference,
            "tenant": tenant.slug,
            "accepted_at": now,
            **_written(seal, session, who, before, change, key or None),
        }
        connection.execute(record_changes.insert().values(values))
        queue.enqueue(
            connection,
            kind=KIND,
            subject=reference,
            tenant=tenant.slug,
            lane=lane(tenant.slug),
            now=now,
            order_key=who.key,
            held=bool(key) and not scanned,
        )
        _write_down(connection, tenant, session, who, before.record, change, reference, now)
    return reference


def one_at_a_time(connection: sa.Connection, candidate: str) -> None:
    """Until this transaction ends, no other one accepts or sends again a change of this record."""
    if connection.dialect.name != "sqlite":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(int(candidate[:15], 16))))


def forget(connection: sa.Connection, reference: str) -> None:
    """What a change that will not be sent said, and its CV, go."""
    c = record_changes.c
    connection.execute(record_changes.update().where(c.reference == reference).values(**dict.fromkeys(SEALED)))
    uploads.let_go(connection, reference)


def pending(connection: sa.Connection, tenant: str, candidate: str) -> Waiting | None:
    """A change of this record that is not settled."""
    c = record_changes.c
    query = sa.select(c.reference).where(
        c.tenant == tenant, c.candidate == candidate, c.delivered_at.is_(None), c.sealed_body.is_not(None)
    )
    for reference in connection.execute(query).scalars():
        entry = queue.find(connection, KIND, reference)
        if entry is not None and entry.state in UNFINISHED:
            return Waiting(reference, entry.gives_way)
    return None


def _replace(
    connection: sa.Connection,
    tenant: Tenant,
    session: Session,
    who: Indexed,
    earlier: Waiting,
    meant: str,
    now: datetime,
) -> None:
    if earlier.reference != meant or not queue.give_way(connection, KIND, earlier.reference, now):
        raise StillOnItsWay(earlier)
    forget(connection, earlier.reference)
    history.note(
        connection,
        tenant=tenant.slug,
        candidate=who.key,
        address=session.address,
        what=What.REPLACED,
        now=now,
        reference=earlier.reference,
    )


def _known(connection: sa.Connection, tenant: str, form_id: str) -> str | None:
    c = record_changes.c
    return connection.execute(sa.select(c.reference).where(c.tenant == tenant, c.form_id == form_id)).scalar()


def _written(
    seal: Seal, session: Session, who: Indexed, before: Current, change: NewChange, key: str | None
) -> dict[str, object]:
    body = update_of(change.after, attachment_id=key)
    return {
        "form_id": change.form_id,
        "candidate": who.key,
        "address": session.address,
        "locale": change.locale,
        "based_on": fingerprint(seal, before.record)[0],
        "based_at": before.modified_at,
        "sealed_candidate": seal.seal(who.candidate_id),
        "sealed_body": seal.seal(body.model_dump_json(by_alias=True, exclude_none=True)),
        "sealed_address": seal.seal(session.email),
    }


def _write_down(
    connection: sa.Connection,
    tenant: Tenant,
    session: Session,
    who: Indexed,
    before: Record,
    change: NewChange,
    reference: str,
    now: datetime,
) -> None:
    changed = addresses_changed(before, change.after)
    for what in [What.CHANGED, *([What.ADDRESS] if changed else [])]:
        history.note(
            connection,
            tenant=tenant.slug,
            candidate=who.key,
            address=session.address,
            what=what,
            now=now,
            reference=reference,
        )
    if changed:
        _tell(connection, tenant, [entry.value for entry in before.emails], before, change, now)


def _tell(
    connection: sa.Connection, tenant: Tenant, old: Sequence[str], before: Record, change: NewChange, now: datetime
) -> None:
    kept = {folded(entry.value) for entry in change.after.emails}
    for address in dict.fromkeys(old):
        letters.send(
            connection,
            tenant=tenant.slug,
            template="address_changed",
            locale=change.locale,
            recipient=address,
            facts={
                "removed": None if folded(address) in kept else "yes",
                "added": "yes" if new_addresses(before, change.after) else None,
                "operator": tenant.mail.operator,
            },
            now=now,
        )
