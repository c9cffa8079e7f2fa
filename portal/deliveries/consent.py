"""Texts that people agreed to when they sent something; the time is that of the delivery."""

import hashlib
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from portal.deliveries.tables import consents
from portal.straight import Straight


@dataclass(frozen=True, slots=True)
class Consent:
    """What was agreed to. version: the text's SHA-256, 64 hex digits."""

    version: str
    text: str
    given_at: datetime

    def as_json(self) -> dict[str, str]:
        """The same for machines."""
        return {"version": self.version, "text": self.text, "givenAt": self.given_at.isoformat()}


def version_of(text: str) -> str:
    """What tells one text from another."""
    return hashlib.sha256(text.encode()).hexdigest()


def record(connection: sa.Connection, *, tenant: str, text: str, now: datetime) -> str:
    """The version of a text, which is stored the first time that somebody agrees to it."""
    version = version_of(text)
    row = {"tenant": tenant, "version": version, "text": text, "first_given_at": now}
    _KEEP.run(connection, row)
    return version


def given(connection: sa.Connection, *, tenant: str, version: str, at: datetime) -> Consent:
    """The consent of that version."""
    query = sa.select(consents.c.text).where(consents.c.tenant == tenant, consents.c.version == version)
    return Consent(version, connection.execute(query).scalar_one(), at)


_KEEP = Straight(
    {
        name: insert(consents).on_conflict_do_nothing()
        for name, insert in (("sqlite", sqlite.insert), ("postgresql", postgresql.insert))
    }
)
