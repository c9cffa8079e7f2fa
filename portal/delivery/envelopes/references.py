"""References of deliveries, which this portal recognises as its own even if a restore has lost the delivery.

Twenty characters: four for the hour, three for what it concerns, nine random ones, and a signature of four that only
this portal can compute. A guess has to match the last thirteen, which are 64 bits.
"""

import hmac
import secrets
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from portal.background.outbox.tables import workers
from portal.delivery.envelopes.tables import restores
from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import Database

_ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Without characters that are easily confused when they are read out."""
_HOUR, _SUBJECT, _RANDOM, _SIGNATURE = 4, 3, 9, 4
"""Characters of each part, in this order."""
_LENGTH = _HOUR + _SUBJECT + _RANDOM + _SIGNATURE
_PURPOSE = "reference"


@dataclass(frozen=True, slots=True)
class LostReference:
    """A reference that this portal issued for a delivery that it no longer has.

    retention: how long deliveries are kept, if the reference is older than that; None: a restore lost the delivery.
    """

    subject: str
    retention: timedelta | None = None

    def may_concern(self, posting_id: str) -> bool:
        """Return whether it may concern that posting; one in 27,000 other postings matches too."""
        return _subject(posting_id) == self.subject


def new_reference(seal: Seal, *, tenant: str, kind: str, posting_id: str | None, now: datetime) -> str:
    """Return a reference that is easy to read out and cannot be guessed.

    posting_id: the posting; None if what the delivery concerns is not public.
    """
    subject = _subject(posting_id) if posting_id else _random(_SUBJECT)
    body = _text(_hours(now), _HOUR) + subject + _random(_RANDOM)
    return body + _signature(seal.hash(_PURPOSE, tenant, kind, body))


def find_lost(
    db: Database, seal: Seal, *, tenant: str, kind: str, reference: str, retention: timedelta, now: datetime
) -> LostReference | None:
    """Return why a reference of this portal has no delivery any more; None if this portal did not issue it.

    retention: how long deliveries are kept. The delivery is older, or was accepted between a backup and its restore.
    Raises DatabaseUnavailable. The database is asked only about a reference with a valid signature.
    """
    given = reference.upper()
    if len(given) != _LENGTH or not set(given) <= set(_ALPHABET):
        return None
    body, signature = given[:-_SIGNATURE], given[-_SIGNATURE:]
    signatures = [_signature(one) for one in seal.hashes(_PURPOSE, tenant, kind, body)]
    if not any(hmac.compare_digest(signature, one) for one in signatures):
        return None
    hour = 0
    for character in body[:_HOUR]:
        hour = hour * len(_ALPHABET) + _ALPHABET.index(character)
    subject = body[_HOUR : _HOUR + _SUBJECT]
    if hour <= _hours(now - retention):
        return LostReference(subject, retention)
    for row in db.rows(sa.select(restores.c.taken_at, restores.c.restored_at)):
        if _hours(row.taken_at) <= hour <= _hours(row.restored_at):
            return LostReference(subject)
    return None


def record_restore(db: Database, *, taken_at: datetime, restored_at: datetime) -> None:
    """Record that everything accepted between the two instants is missing. Raises DatabaseUnavailable."""
    db.run(restores.insert().values(taken_at=taken_at, restored_at=restored_at))


def restored_lately(db: Database, *, since: datetime) -> datetime | None:
    """Return the state to which the database was restored after an instant, if no worker is known to have run since.

    Raises DatabaseUnavailable.
    """
    seen = sa.select(sa.func.max(workers.c.seen_at)).scalar_subquery()
    later = sa.or_(seen.is_(None), restores.c.restored_at >= seen)
    query = sa.select(sa.func.max(restores.c.taken_at)).where(restores.c.restored_at > since, later)
    found: datetime | None = db.value(query)
    return found


def _hours(instant: datetime) -> int:
    """Return whole hours since 1970, which fit in four characters until 2062."""
    return int(instant.astimezone(UTC).timestamp()) // 3_600


def _subject(posting_id: str) -> str:
    return _text(zlib.crc32(posting_id.encode()), _SUBJECT)


def _random(length: int) -> str:
    return _text(secrets.randbelow(len(_ALPHABET) ** length), length)


def _signature(hashed: str) -> str:
    return _text(int(hashed, 16), _SIGNATURE)


def _text(number: int, length: int) -> str:
    """Return the last digits of a number, written in the alphabet of references."""
    found = []
    for _ in range(length):
        number, place = divmod(number, len(_ALPHABET))
        found.append(_ALPHABET[place])
    return "".join(reversed(found))
