"""Take an application: one transaction, and only after its COMMIT a reference.

In order, all or nothing:
 1. the upload is claimed: stored, this tenant's, this form's, nobody's yet. One that is somebody's already means that
    this form was sent before: then its content is compared, and nothing is written;
 2. one person's posts to one tenant wait for each other (SQLite: the one write lock; PostgreSQL: an advisory lock), so
    that two forms with the same content cannot both be the first;
 3. the submission is inserted, unique by tenant and submission id. Twenty posts of one form at once: one row, and the
    nineteen others find it, compare their content with it, and give their upload back;
 4. the same content sent from another form within 30 days is a duplicate: it keeps nothing personal, is not sent, and
    its receipt follows the first one's state. Only the mailbox learns of it;
 5. the outbox row and the letter are queued.

The statements are built once: building them costs more than running them.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
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
from portal.outbox.tables import outbox
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
    reference, now = new_reference(), clock.now()
    form = {"slug": tenant.slug, "form": application.submission_id}
    with db.write() as connection:
        upload = _claim(connection, form | {"upload": application.upload, "reference": reference}, person)
        contents = [payload_hash(key, application, upload.sha256) for key in (secret, *former_secrets)]
        first = _first_of(connection, tenant, contents, now) if upload.is_ours else None
        if upload.is_ours:
            marks = _Marks(reference, contents[0], person, first)
            if _insert(connection, tenant, application, marks, upload, now):
                if first is None:
                    queue.enqueue(
                        connection,
                        kind=KIND,
                        subject=reference,
                        tenant=tenant.slug,
                        lane=lane(tenant.slug),
                        now=now,
                        order_key=person,
                        held=not scanned,
                    )
                else:
                    connection.execute(_GIVE_BACK, {"reference": reference})
                _send_receipt(connection, tenant, application, reference, now, again=first is not None)
                return reference
            connection.execute(_GIVE_BACK, {"reference": reference})
        return _known(connection, form, contents)


@dataclass(frozen=True, slots=True)
class _Upload:
    """A stored CV. is_ours: claimed by this very post."""

    key: str
    sha256: str
    is_ours: bool


@dataclass(frozen=True, slots=True)
class _Marks:
    reference: str
    content: str
    person: str
    duplicate_of: str | None


def _claim(connection: sa.Connection, values: dict[str, str], person: str) -> _Upload:
    on_sqlite = connection.dialect.name == "sqlite"
    claim = _CLAIM if on_sqlite else _CLAIM_AND_LOCK
    claimed = connection.execute(claim, values if on_sqlite else {**values, "person": int(person[:15], 16)}).first()
    if claimed is not None:
        return _Upload(claimed.key, claimed.sha256, is_ours=True)
    stored = connection.execute(_STORED, values).one_or_none()
    if stored is None:
        raise UploadGone("the stored CV is no longer there")
    return _Upload(stored.key, stored.sha256, is_ours=False)


def _first_of(connection: sa.Connection, tenant: Tenant, contents: list[str], now: datetime) -> str | None:
    """The submission of the same content that was sent before, unless it came to nothing or was withdrawn."""
    for content in contents:
        asked = {"slug": tenant.slug, "content": content, "since": now - DUPLICATE_WITHIN}
        found = connection.execute(_FIRST, asked).first()
        if found and found.state not in {State.DEAD, State.DISCARDED}:
            return str(found.reference)
    return None


def _insert(
    connection: sa.Connection,
    tenant: Tenant,
    application: NewApplication,
    marks: _Marks,
    upload: _Upload,
    now: datetime,
) -> bool:
    """False, and nothing written, when this form has a submission already."""
    values: dict[str, object] = {
        "reference": marks.reference,
        "tenant": tenant.slug,
        "submission_id": application.submission_id,
        "payload_hash": marks.content,
        "email_hash": marks.person,
        "posting_id": application.posting_id,
        "posting_title": application.posting_title,
        "locale": application.locale,
        "accepted_at": now,
        "duplicate_of": marks.duplicate_of,
    }
    if marks.duplicate_of is None:
        values |= _personal(application, upload)
    return connection.execute(_INSERT[connection.dialect.name], values).rowcount == 1


def _known(connection: sa.Connection, form: dict[str, str], contents: list[str]) -> str:
    """The reference that this form already has, if it was sent with this content."""
    known = connection.execute(_OF_FORM, form).one_or_none()
    if known is None:
        raise UploadGone("the stored CV belongs to another submission")
    if known.payload_hash not in contents:
        raise DifferentApplication(known.reference)
    return str(known.reference)


def _personal(application: NewApplication, upload: _Upload) -> dict[str, object]:
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


def _send_receipt(
    connection: sa.Connection,
    tenant: Tenant,
    application: NewApplication,
    reference: str,
    now: datetime,
    *,
    again: bool,
) -> None:
    letters.send(
        connection,
        tenant=tenant.slug,
        template="receipt",
        locale=application.locale,
        recipient=application.email,
        facts={
            "title": application.posting_title,
            "reference": reference,
            "when": now.isoformat(),
            "again": "yes" if again else None,
        },
        now=now,
    )


_claimable = sa.and_(
    uploads.c.handle == sa.bindparam("upload"),
    uploads.c.tenant == sa.bindparam("slug"),
    uploads.c.form_id == sa.bindparam("form"),
    uploads.c.stored_at.is_not(None),
)
_CLAIM = (
    uploads.update()
    .where(_claimable, uploads.c.claimed_by.is_(None))
    .values(claimed_by=sa.bindparam("reference"))
    .returning(uploads.c.key, uploads.c.sha256)
)
# The lock is taken with the claim, in one round trip, and before anything is read that it guards.
_CLAIM_AND_LOCK = _CLAIM.returning(
    sa.cast(sa.func.pg_advisory_xact_lock(sa.bindparam("person", type_=sa.BigInteger)), sa.Text)
)
_STORED = sa.select(uploads.c.key, uploads.c.sha256).where(_claimable)
_GIVE_BACK = uploads.update().where(uploads.c.claimed_by == sa.bindparam("reference")).values(claimed_by=None)
_FIRST = (
    sa.select(submissions.c.reference, outbox.c.state)
    .join(outbox, sa.and_(outbox.c.kind == KIND, outbox.c.subject == submissions.c.reference))
    .where(
        submissions.c.tenant == sa.bindparam("slug"),
        submissions.c.payload_hash == sa.bindparam("content"),
        submissions.c.duplicate_of.is_(None),
        submissions.c.withdrawn_at.is_(None),
        submissions.c.accepted_at > sa.bindparam("since"),
    )
    .order_by(submissions.c.accepted_at.desc())
    .limit(1)
)
_INSERT = {
    name: insert(submissions)
    .on_conflict_do_nothing(index_elements=["tenant", "submission_id"])
    .execution_options(preserve_rowcount=True)
    for name, insert in (("sqlite", sqlite.insert), ("postgresql", postgresql.insert))
}
_OF_FORM = sa.select(submissions.c.reference, submissions.c.payload_hash).where(
    submissions.c.tenant == sa.bindparam("slug"), submissions.c.submission_id == sa.bindparam("form")
)
