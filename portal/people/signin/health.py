"""Whether sign-in codes reach the mail server in time, for monitoring."""

from datetime import datetime, timedelta

from portal.background.outbox import health
from portal.people.signin.codes import KIND
from portal.platform.database.db import Database

LATE = 60
"""Seconds. The person is still looking at the page that asks for the code."""


def late(db: Database, now: datetime, *, ttl: float) -> int:
    """Count the codes requested at least LATE seconds ago and not sent yet, except expired ones.

    ttl: lifetime of a code in seconds (PORTAL_CODE_TTL).
    """
    expired, recent = now - timedelta(seconds=ttl), now - timedelta(seconds=LATE)
    return health.unsent_since(db, KIND, after=expired, until=recent)
