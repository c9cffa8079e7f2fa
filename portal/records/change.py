"""Accept a change: one transaction, and only after its COMMIT a reference.

In order, all or nothing:
 1. the same form sent again is the same change;
 2. while an earlier change of this record is on its way, no other is taken: it would be based on what is about to go;
 3. the CV that came with it is claimed;
 4. the change is written, sealed, with what it is based on; the outbox row and the history with it;
 5. every address that the record had is told, if addresses changed.
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
from portal.records.tables import record_changes
from portal.sealing import Seal
from portal.signin.sessions import Session
from portal.tenants.model import Tenant

KIND = "record"


class StillOnItsWay(PortalError):
    """An earlier change of this record is not delivered yet; `reference` is its own."""

    def __init__(self, reference: str) -> None:
        super().__init__("an earlier change of this record is still on its way")
        self.reference = reference


@dataclass(frozen=True, slots=True)
class NewChange:
    """A form that passed every check. form_id: the same id again is the same change. upload: of a CV, or None."""

    form_id: str
    after: Record = field(repr=False)
    upload: str | None
    locale: str


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
        if not db.is_sqlite:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(int(who.key[:15], 16))))
        known = _known(connection, tenant.slug, change.form_id)
        if known is not None:
            return known
        waiting = pending(connection, tenant.slug, who.key)
        if waiting is not None:
            raise StillOnItsWay(waiting)
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


def pending(connection: sa.Connection, tenant: str, candidate: str) -> str | None:
    """The reference of a change of this record that is not settled."""
    c = record_changes.c
    query = sa.select(c.reference).where(
        c.tenant == tenant, c.candidate == candidate, c.delivered_at.is_(None), c.sealed_body.is_not(None)
    )
    for reference in connection.execute(query).scalars():
        entry = queue.find(connection, KIND, reference)
        if entry is not None and entry.state in UNFINISHED:
            return str(reference)
    return None


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
    kept = {entry.value.casefold() for entry in change.after.emails}
    for address in dict.fromkeys(old):
        letters.send(
            connection,
            tenant=tenant.slug,
            template="address_changed",
            locale=change.locale,
            recipient=address,
            facts={
                "removed": None if address.casefold() in kept else "yes",
                "added": "yes" if new_addresses(before, change.after) else None,
                "operator": tenant.mail.operator,
            },
            now=now,
        )
