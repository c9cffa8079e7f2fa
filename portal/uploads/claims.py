"""A stored file becomes part of a delivery, once; every function is a step of its caller's transaction.

The statements are built once: building them costs more than running them.
"""

from dataclasses import dataclass

import sqlalchemy as sa

from portal.db import EPOCH
from portal.errors import PortalError
from portal.sealing import Seal
from portal.straight import Straight
from portal.uploads.storing import About
from portal.uploads.tables import uploads


class UploadGone(PortalError):
    """The stored CV is no longer there, or belongs to another delivery: it has to be chosen again."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """A stored file. is_ours: claimed by this very reference; else it is part of another delivery of the same form."""

    about: About
    is_ours: bool


def claim(
    connection: sa.Connection, seal: Seal, *, tenant: str, form_id: str, handle: str, reference: str, lock: int
) -> Claimed:
    """Make a stored file part of `reference`, if it is nobody's yet. Raises UploadGone.

    lock: taken for the caller in the same round trip, and before anything is read that it guards.
    """
    values = {"upload": handle, "slug": tenant, "form": form_id, "reference": reference}
    on_sqlite = connection.dialect.name == "sqlite"
    claiming = _CLAIM if on_sqlite else _CLAIM_AND_LOCK
    row = claiming.first(connection, values if on_sqlite else {**values, "lock": lock})
    if row is not None:
        return Claimed(About.opened(seal, row.sealed), is_ours=True)
    stored = _STORED.first(connection, values)
    if stored is None:
        raise UploadGone("the stored CV is no longer there")
    return Claimed(About.opened(seal, stored.sealed), is_ours=False)


def give_back(connection: sa.Connection, reference: str) -> None:
    """What was claimed is not needed after all: its form may claim it again."""
    connection.execute(_GIVE_BACK, {"reference": reference})


@dataclass(frozen=True, slots=True)
class Arrived:
    """Of a file that came with a delivery, what is not personal. size: bytes; pages: where its kind tells them."""

    media_type: str
    size: int
    pages: int | None


def arrived(connection: sa.Connection, reference: str) -> Arrived | None:
    """What a delivery claimed; None where it has no file, or it is forgotten or was taken back."""
    u = uploads.c
    row = connection.execute(sa.select(u.media_type, u.size, u.pages).where(u.claimed_by == reference)).first()
    return Arrived(*row) if row else None


def key_of(connection: sa.Connection, reference: str) -> str | None:
    """The attachment id of what a delivery claimed; None where it has no file, or it is forgotten."""
    return connection.execute(sa.select(uploads.c.key).where(uploads.c.claimed_by == reference)).scalar()


def key_beside(reference: sa.ColumnElement[str]) -> sa.ScalarSelect[str]:
    """The same as a column of a query that reads the reference."""
    return sa.select(uploads.c.key).where(uploads.c.claimed_by == reference).limit(1).scalar_subquery()


def let_go(connection: sa.Connection, reference: str) -> None:
    """A claimed file that will not be sent: no form can claim it, and the next delete_unclaimed deletes it."""
    unusable = {"claimed_by": None, "stored_at": None, "created_at": EPOCH}
    connection.execute(uploads.update().where(uploads.c.claimed_by == reference).values(**unusable))


def forget(connection: sa.Connection, references: list[str]) -> None:
    """Forget the names and keys of claimed files; the objects stay where they are."""
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
_CLAIM = Straight(_claiming)
_CLAIM_AND_LOCK = Straight(
    _claiming.returning(sa.cast(sa.func.pg_advisory_xact_lock(sa.bindparam("lock", type_=sa.BigInteger)), sa.Text))
)
_STORED = Straight(sa.select(uploads.c.sealed).where(_claimable))
_GIVE_BACK = uploads.update().where(uploads.c.claimed_by == sa.bindparam("reference")).values(claimed_by=None)
