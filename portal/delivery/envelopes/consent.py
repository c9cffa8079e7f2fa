"""Texts that candidates agreed to with a delivery; the time of consent is the time of the delivery."""

import hashlib
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from portal.delivery.envelopes.tables import consents, deliveries
from portal.platform.database.db import Database, insert
from portal.tenants.retention import Cutoffs


@dataclass(frozen=True, slots=True)
class Consent:
    """A consent that was given. version: the text's SHA-256, 64 hex digits."""

    version: str
    text: str
    given_at: datetime

    def as_json(self) -> dict[str, str]:
        """Return the same as JSON values."""
        return {"version": self.version, "text": self.text, "givenAt": self.given_at.isoformat()}


def version_of(text: str) -> str:
    """Return the version of a text, its SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()


def record(connection: sa.Connection, *, tenant: str, text: str, now: datetime) -> str:
    """Return the version of a text, and store the text the first time that somebody agrees to it."""
    version = version_of(text)
    row = {"tenant": tenant, "version": version, "text": text, "first_given_at": now}
    connection.execute(insert(connection, consents).on_conflict_do_nothing(), row)
    return version


def given(connection: sa.Connection, *, tenant: str, version: str, at: datetime) -> Consent:
    """Return the consent to that version."""
    query = sa.select(consents.c.text).where(consents.c.tenant == tenant, consents.c.version == version)
    return Consent(version, connection.execute(query).scalar_one(), at)


def forget_unused(db: Database, old: Cutoffs) -> int:
    """Delete texts that were first agreed to long ago and that no delivery refers to any more; return how many.

    On PostgreSQL the table is locked until the transaction ends: a delivery that is being accepted with an old text
    either is found here, or waits and then stores the text again.
    """
    c, d = consents.c, deliveries.c
    used = sa.exists().where(d.tenant == c.tenant, d.consent == c.version)
    unused = sa.and_(old.passed(c.tenant, c.first_given_at), ~used)
    if not db.exists(sa.select(c.version).where(unused).limit(1)):
        return 0
    with db.write() as connection:
        if not db.is_sqlite:
            connection.execute(sa.text("LOCK TABLE consents IN SHARE ROW EXCLUSIVE MODE"))
        return connection.execute(consents.delete().where(unused)).rowcount
