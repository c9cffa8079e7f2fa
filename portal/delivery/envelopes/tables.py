"""Envelopes and consents; only this package writes them. Contents are sealed, and null once they are erased.

person: a keyed hash of the sender's address. about: what the delivery concerns, a posting's id or a candidate's key.
ended: the final state, once its outbox row is removed. suspicion: why a bot may have sent it, reasons joined by commas.
sources: where the candidate came from, according to the parameters of the form's URL; sealed and erased like the
rest, because the author of a link may write anything into them.
"""

import json
from collections.abc import Mapping

import sqlalchemy as sa

from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import Instant, metadata

deliveries = sa.Table(
    "deliveries",
    metadata,
    sa.Column("reference", sa.String(32), primary_key=True),
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("tenant", sa.String(50), nullable=False),
    sa.Column("form_id", sa.String(32), nullable=False),
    sa.Column("content", sa.String(64), nullable=False),
    sa.Column("person", sa.String(64), nullable=False),
    sa.Column("about", sa.String(100), nullable=False),
    sa.Column("title", sa.Text),
    sa.Column("locale", sa.String(20), nullable=False),
    sa.Column("accepted_at", Instant, nullable=False),
    sa.Column("delivered_at", Instant),
    sa.Column("withdrawn_at", Instant),
    sa.Column("erased_at", Instant),
    sa.Column("duplicate_of", sa.String(32)),
    sa.Column("consent", sa.String(64)),
    sa.Column("ended", sa.String(12)),
    sa.Column("outcome", sa.String(40)),
    sa.Column("sealed", sa.Text),
    sa.Column("suspicion", sa.String(60)),
    sa.Column("sources", sa.Text),
    sa.UniqueConstraint("tenant", "kind", "form_id"),
)
sa.Index("ix_deliveries_accepted_at", deliveries.c.accepted_at, deliveries.c.reference)
sa.Index("ix_deliveries_tenant", deliveries.c.tenant, deliveries.c.accepted_at, deliveries.c.reference)
sa.Index("ix_deliveries_job", deliveries.c.tenant, deliveries.c.about, deliveries.c.accepted_at, deliveries.c.reference)
sa.Index("ix_deliveries_content", deliveries.c.tenant, deliveries.c.content)
sa.Index("ix_deliveries_person", deliveries.c.tenant, deliveries.c.person)
sa.Index("ix_deliveries_about", deliveries.c.tenant, deliveries.c.about, deliveries.c.person)
sa.Index("ix_deliveries_duplicate_of", deliveries.c.duplicate_of)
unindexed_accepted_at = sa.literal_column("+deliveries.accepted_at", Instant)
"""For sorting the few rows of one person or content: by the column itself, SQLite would look for them among all rows of
the tenant or job, in an index by time.
"""
_discarded = sa.text("ended = 'discarded'")
sa.Index("ix_deliveries_discarded", deliveries.c.reference, sqlite_where=_discarded, postgresql_where=_discarded)
_suspected = sa.text("suspicion IS NOT NULL")
sa.Index(
    "ix_deliveries_suspicion",
    deliveries.c.tenant,
    deliveries.c.suspicion,
    sqlite_where=_suspected,
    postgresql_where=_suspected,
)

restores = sa.Table(
    "restores",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("taken_at", Instant, nullable=False),
    sa.Column("restored_at", Instant, nullable=False),
)
"""taken_at: when the backup that was restored began: deliveries accepted until restored_at may be missing."""

secret_keys = sa.Table(
    "secret_keys",
    metadata,
    sa.Column("fingerprint", sa.String(16), primary_key=True),
    sa.Column("first_used_at", Instant, nullable=False),
)
"""Each secret key that ever was the current one."""

deletion_notices = sa.Table(
    "deletion_notices",
    metadata,
    sa.Column("reference", sa.String(32), primary_key=True),
    sa.Column("letter", sa.String(32), nullable=False),
    sa.Column("queued_at", Instant, nullable=False),
    sa.Column("told_at", Instant),
)
"""Failed deliveries whose contents will be deleted. letter: the email to the operator; told_at: when it was sent."""

ERASED = {"sealed": None, "sources": None}
"""The columns to null when an envelope is erased."""

consents = sa.Table(
    "consents",
    metadata,
    sa.Column("tenant", sa.String(50), primary_key=True),
    sa.Column("version", sa.String(64), primary_key=True),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("first_given_at", Instant, nullable=False),
)
"""Each text is stored once, regardless of how many people agreed to it. version: its SHA-256, 64 hex digits."""


def sealed(seal: Seal, sources: Mapping[str, str]) -> str | None:
    """Return the encrypted form for the database; None if nothing is known."""
    return seal.seal(json.dumps(dict(sources))) if sources else None


def opened(seal: Seal, stored: str | None) -> dict[str, str]:
    """Decrypt the form in the database."""
    return dict(json.loads(seal.open(stored))) if stored else {}
