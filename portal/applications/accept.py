"""Take an application: one transaction, and only after its COMMIT a reference.

In order, all or nothing:
 1. the upload is looked at: stored, this tenant's, this form's;
 2. one person's posts to one posting wait for each other (SQLite: the one write lock; PostgreSQL: an advisory lock), so
    that two forms with the same content cannot both be the first;
 3. the submission is inserted, unique by tenant and submission id. Twenty posts of one form at once: one row, and the
    nineteen others find it and compare their content with it;
 4. the same content sent from another form within 30 days is a duplicate: it keeps nothing personal, is not sent, and
    its receipt follows the first one's state. Only the mailbox learns of it;
 5. the upload is claimed, the outbox row and the letter are queued.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from babel.dates import format_datetime
from sqlalchemy.dialects import postgresql, sqlite

from portal.applications.fingerprints import email_hash, payload_hash
from portal.applications.model import NewApplication
from portal.applications.tables import PERSONAL, submissions, uploads
from portal.clock import Clock
from portal.db import Database
from portal.errors import PortalError
from portal.letters import queue as letters
from portal.outbox import queue
from portal.outbox.states import State
from portal.tenants.model import Tenant

KIND = "application"
DUPLICATE_WITHIN = timedelta(days=30)
_ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
"""No character that is read as another one over the telephone."""


class DifferentApplication(PortalError):
    """The same form was already sent with other content; `reference` is that submission's."""

    def __init__(self, reference: str) -> None:
        super().__init__("this form was already sent with other content")
        self.reference = reference


class UploadGone(PortalError):
    """The stored CV is no longer there, or belongs to another submission: it has to be chosen again."""


def new_reference() -> str:
    """20 characters, 98 bits: it can be read out, and cannot be guessed."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(20))


def lane(tenant: str) -> str:
    """The outbox lane towards one tenant's service."""
    return f"service:{tenant}"


def accept(
    db: Database,
    *,
    tenant: Tenant,
    application: NewApplication,
    secret: str,
    clock: Clock,
    scanned: bool = True,
    former_secrets: Sequence[str] = (),
) -> str:
    """The reference of the application, committed to disk. The same form and content again: the same reference.

    scanned: False holds the delivery until a scanner has seen the CV. former_secrets: under which the same content may
    have been hashed before.
    Raises DifferentApplication, UploadGone, DatabaseUnavailable.
    """
    person = email_hash(secret, tenant.slug, application.email)
    with db.write() as connection:
        upload = _upload(connection, tenant, application)
        contents = [payload_hash(key, application, upload.sha256) for key in (secret, *former_secrets)]
        if not db.is_sqlite:
            lock = int(person[:15], 16)
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(lock)))
        reference = new_reference()
        first = _first_of(connection, tenant, contents, clock)
        known = _insert(connection, tenant, application, _Marks(reference, contents, person, first), upload, clock)
        if known is not None:
            return known
        if first is None:
            _claim_upload(connection, upload.handle, reference)
            queue.enqueue(
                connection,
                kind=KIND,
                subject=reference,
                tenant=tenant.slug,
                lane=lane(tenant.slug),
                now=clock.now(),
                order_key=person,
                held=not scanned,
            )
        _send_receipt(connection, tenant, application, reference, clock, again=first is not None)
    return reference


@dataclass(frozen=True, slots=True)
class _Marks:
    reference: str
    contents: list[str]
    """Hashes of the content: the one that is kept, and what it would have been under former secrets."""
    person: str
    duplicate_of: str | None


def _upload(connection: sa.Connection, tenant: Tenant, application: NewApplication) -> sa.Row[Any]:
    upload = connection.execute(
        sa.select(uploads).where(
            uploads.c.handle == application.upload,
            uploads.c.tenant == tenant.slug,
            uploads.c.form_id == application.submission_id,
            uploads.c.stored_at.is_not(None),
        )
    ).one_or_none()
    if upload is None:
        raise UploadGone("the stored CV is no longer there")
    return upload


def _first_of(connection: sa.Connection, tenant: Tenant, contents: list[str], clock: Clock) -> str | None:
    """The submission of the same content that was sent before, unless it came to nothing."""
    found = connection.execute(
        sa.select(submissions.c.reference)
        .where(
            submissions.c.tenant == tenant.slug,
            submissions.c.payload_hash.in_(contents),
            submissions.c.duplicate_of.is_(None),
            submissions.c.accepted_at > clock.now() - DUPLICATE_WITHIN,
        )
        .order_by(submissions.c.accepted_at.desc())
        .limit(1)
    ).scalar()
    entry = queue.find(connection, KIND, found) if found else None
    return found if entry and entry.state not in {State.DEAD, State.DISCARDED} else None


def _insert(
    connection: sa.Connection,
    tenant: Tenant,
    application: NewApplication,
    marks: _Marks,
    upload: sa.Row[Any],
    clock: Clock,
) -> str | None:
    """None when it is new; else the reference that this form already has."""
    values: dict[str, object] = {
        "reference": marks.reference,
        "tenant": tenant.slug,
        "submission_id": application.submission_id,
        "payload_hash": marks.contents[0],
        "email_hash": marks.person,
        "posting_id": application.posting_id,
        "posting_title": application.posting_title,
        "locale": application.locale,
        "accepted_at": clock.now(),
        "duplicate_of": marks.duplicate_of,
    }
    if marks.duplicate_of is None:
        values |= _personal(application, upload)
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    written = connection.execute(
        insert(submissions)
        .values(values)
        .on_conflict_do_nothing(index_elements=["tenant", "submission_id"])
        .returning(submissions.c.reference)
    )
    if written.first() is not None:
        return None
    known = connection.execute(
        sa.select(submissions.c.reference, submissions.c.payload_hash).where(
            submissions.c.tenant == tenant.slug, submissions.c.submission_id == application.submission_id
        )
    ).one()
    if known.payload_hash not in marks.contents:
        raise DifferentApplication(known.reference)
    return str(known.reference)


def _personal(application: NewApplication, upload: sa.Row[Any]) -> dict[str, object]:
    where = application.location
    values = {
        "upload": application.upload,
        "attachment_key": upload.key,
        "first_name": application.first_name,
        "last_name": application.last_name,
        "email": application.email,
        "phone_number": application.phone_number,
        "network_url": application.network_url,
        "city": where.city,
        "region": where.region,
        "postal_code": where.postal_code,
        "country": where.country,
    }
    assert set(values) == set(PERSONAL)  # noqa: S101  a field that purging forgets must not start to exist
    return dict(values)


def _claim_upload(connection: sa.Connection, handle: str, reference: str) -> None:
    claimed = connection.execute(
        uploads.update()
        .where(uploads.c.handle == handle, uploads.c.claimed_by.is_(None), uploads.c.stored_at.is_not(None))
        .values(claimed_by=reference)
    )
    if claimed.rowcount != 1:
        raise UploadGone("the stored CV belongs to another submission")


def _send_receipt(
    connection: sa.Connection,
    tenant: Tenant,
    application: NewApplication,
    reference: str,
    clock: Clock,
    *,
    again: bool,
) -> None:
    when = format_datetime(clock.now(), "long", locale=application.locale.replace("-", "_"))
    letters.send(
        connection,
        tenant=tenant.slug,
        template="receipt",
        locale=application.locale,
        recipient=application.email,
        facts={
            "title": application.posting_title,
            "reference": reference,
            "when": when,
            "again": "yes" if again else None,
        },
        now=clock.now(),
    )
