"""A stored file becomes part of a delivery, once; every function is a step in its caller's transaction.

The statement that every delivery with a file runs is prepared (platform/database/prepared.py).
"""

from dataclasses import dataclass

import sqlalchemy as sa

from portal.delivery.uploads.storing import FileFacts
from portal.delivery.uploads.tables import uploads
from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import EPOCH
from portal.platform.database.prepared import PreparedStatement
from portal.platform.errors import PortalError


class UploadGone(PortalError):
    """The stored CV no longer exists, or belongs to another delivery: the candidate has to choose it again."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """A stored file that passed `claim`. newly_claimed: by this call; else another delivery of the same form has it."""

    metadata: FileFacts
    newly_claimed: bool


def claim(
    connection: sa.Connection, seal: Seal, *, tenant: str, form_id: str, handle: str, reference: str, lock: int
) -> Claimed:
    """Make a stored file part of `reference`, if it is not claimed yet. Raises UploadGone.

    lock: an advisory lock taken in the same round trip, before anything that it guards is read.
    """
    values = {"upload": handle, "slug": tenant, "form": form_id, "reference": reference}
    on_sqlite = connection.dialect.name == "sqlite"
    claiming = _CLAIM if on_sqlite else _CLAIM_AND_LOCK
    row = claiming.first(connection, values if on_sqlite else {**values, "lock": lock})
    if row is not None:
        return Claimed(FileFacts.opened(seal, row.sealed), newly_claimed=True)
    stored = connection.execute(_STORED, values).first()
    if stored is None:
        raise UploadGone("the stored CV is no longer there")
    return Claimed(FileFacts.opened(seal, stored.sealed), newly_claimed=False)


def unclaim(connection: sa.Connection, reference: str) -> None:
    """Release a claim that is not needed after all: the form may claim the file again."""
    connection.execute(uploads.update().where(uploads.c.claimed_by == reference).values(claimed_by=None))


@dataclass(frozen=True, slots=True)
class FileSummary:
    """The facts about a delivery's file that are not personal. size: bytes; pages: where its type states them."""

    media_type: str
    size: int
    pages: int | None


def facts_of(connection: sa.Connection, reference: str) -> FileSummary | None:
    """Return the facts about a delivery's file; None if it has none, or it is erased or was withdrawn."""
    u = uploads.c
    row = connection.execute(sa.select(u.media_type, u.size, u.pages).where(u.claimed_by == reference)).first()
    return FileSummary(*row) if row else None


def about(connection: sa.Connection, seal: Seal, reference: str) -> FileFacts | None:
    """Return the sealed facts about a delivery's file, opened; None if it has no file. Raises Unreadable."""
    sealed = connection.execute(sa.select(uploads.c.sealed).where(uploads.c.claimed_by == reference)).scalar()
    return FileFacts.opened(seal, sealed) if sealed else None


def key_of(connection: sa.Connection, reference: str) -> str | None:
    """Return the attachment id of a delivery's file; None if it has none, or it is erased."""
    return connection.execute(sa.select(uploads.c.key).where(uploads.c.claimed_by == reference)).scalar()


def key_beside(reference: sa.ColumnElement[str]) -> sa.ScalarSelect[str]:
    """Return the attachment id as a column for a query that reads the reference."""
    return sa.select(uploads.c.key).where(uploads.c.claimed_by == reference).limit(1).scalar_subquery()


def orphan_file(connection: sa.Connection, reference: str) -> None:
    """Release a claimed file that will not be sent: no form can claim it, and the next delete_unclaimed deletes it."""
    unusable = {"claimed_by": None, "stored_at": None, "created_at": EPOCH}
    connection.execute(uploads.update().where(uploads.c.claimed_by == reference).values(**unusable))


def delete_rows(connection: sa.Connection, references: list[str]) -> None:
    """Delete names and keys of claimed files; the objects stay in the storage."""
    connection.execute(uploads.delete().where(uploads.c.claimed_by.in_(references)))


_claimable = sa.and_(
    uploads.c.handle == sa.bindparam("upload"),
    uploads.c.tenant == sa.bindparam("slug"),
    uploads.c.form_id == sa.bindparam("form"),
    uploads.c.stored_at.is_not(None),
)
_claiming = (
    uploads.update()
    .where(_claimable, uploads.c.claimed_by.is_(None))
    .values(claimed_by=sa.bindparam("reference"))
    .returning(uploads.c.sealed)
)
_CLAIM = PreparedStatement(_claiming)
_CLAIM_AND_LOCK = PreparedStatement(
    _claiming.returning(sa.cast(sa.func.pg_advisory_xact_lock(sa.bindparam("lock", type_=sa.BigInteger)), sa.Text))
)
_STORED = sa.select(uploads.c.sealed).where(_claimable)
