"""Take an application: one transaction, and only after its COMMIT a reference.

In order, all or nothing:
 1. the upload is looked at: stored, this tenant's, this form's;
 2. the submission is inserted, unique by tenant and submission id. Twenty posts of one form at once: one row, and the
    nineteen others find it and compare their content with it;
 3. the upload is claimed;
 4. the outbox row is queued.
"""

import secrets

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from portal.applications.fingerprints import email_hash, payload_hash
from portal.applications.model import NewApplication
from portal.applications.tables import submissions, uploads
from portal.clock import Clock
from portal.db import Database
from portal.errors import PortalError
from portal.outbox import queue
from portal.tenants.model import Tenant

KIND = "application"
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
    db: Database, *, tenant: Tenant, application: NewApplication, secret: str, clock: Clock, scanned: bool = True
) -> str:
    """The reference of the application, committed to disk. The same form and content again: the same reference.

    scanned: False holds the delivery until a scanner has seen the CV.
    Raises DifferentApplication, UploadGone, DatabaseUnavailable.
    """
    with db.write() as connection:
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
        reference, fresh = _insert(connection, tenant, application, secret, upload, clock)
        if not fresh:
            return reference
        _claim_upload(connection, upload.handle, reference)
        queue.enqueue(
            connection,
            kind=KIND,
            subject=reference,
            tenant=tenant.slug,
            lane=lane(tenant.slug),
            now=clock.now(),
            order_key=email_hash(secret, tenant.slug, application.email),
            held=not scanned,
        )
    return reference


def _insert(
    connection: sa.Connection,
    tenant: Tenant,
    application: NewApplication,
    secret: str,
    upload: sa.Row[tuple[object, ...]],
    clock: Clock,
) -> tuple[str, bool]:
    content = payload_hash(secret, application, upload._mapping["sha256"])
    reference = new_reference()
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    written = connection.execute(
        insert(submissions)
        .values(
            reference=reference,
            tenant=tenant.slug,
            submission_id=application.submission_id,
            payload_hash=content,
            email_hash=email_hash(secret, tenant.slug, application.email),
            posting_id=application.posting_id,
            posting_title=application.posting_title,
            locale=application.locale,
            accepted_at=clock.now(),
            upload=application.upload,
            attachment_key=upload._mapping["key"],
            first_name=application.first_name,
            last_name=application.last_name,
            email=application.email,
            phone_number=application.phone_number,
            network_url=application.network_url,
            city=application.location.city,
            region=application.location.region,
            postal_code=application.location.postal_code,
            country=application.location.country,
        )
        .on_conflict_do_nothing(index_elements=["tenant", "submission_id"])
    )
    if written.rowcount == 1:
        return reference, True
    known = connection.execute(
        sa.select(submissions.c.reference, submissions.c.payload_hash).where(
            submissions.c.tenant == tenant.slug, submissions.c.submission_id == application.submission_id
        )
    ).one()
    if known.payload_hash != content:
        raise DifferentApplication(known.reference)
    return known.reference, False


def _claim_upload(connection: sa.Connection, handle: str, reference: str) -> None:
    claimed = connection.execute(
        uploads.update().where(uploads.c.handle == handle, uploads.c.claimed_by.is_(None)).values(claimed_by=reference)
    )
    if claimed.rowcount != 1:
        raise UploadGone("the stored CV belongs to another submission")
