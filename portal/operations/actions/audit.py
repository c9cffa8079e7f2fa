"""Audit log of manual actions: operator, time, action, object, outcome; no personal data but the operator's name."""

import os
import pwd
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

import sqlalchemy as sa

from portal.platform.database.db import Database, Instant, delete_old, metadata

KEPT = timedelta(days=400)
"""Over a year, so that a yearly review covers everything."""
_FRESH = timedelta(minutes=1)
_REFERENCE = re.compile(r"[0-9A-Za-z]{1,32}")


class ActionChannel(StrEnum):
    """The way in which an action was requested."""

    DESK = "desk"
    COMMAND = "command"


class Action(StrEnum):
    """What was done."""

    RETRY = "retry"
    RELEASE = "release"
    DISCARD = "discard"
    DONE = "done"
    WAKE = "wake"
    CHECK = "check"
    SIGN_OUT = "sign-out"


class ActionOutcome(StrEnum):
    """The outcome of an action."""

    DONE = "done"
    REFUSED = "refused"
    """The action was not possible: nothing matched, or it was too late."""


@dataclass(frozen=True, slots=True)
class Actor:
    """The operator who acts. name: of an account in the operator's single sign-on, or on this machine."""

    name: str
    way: ActionChannel


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One entry of the log."""

    number: int
    at: datetime
    by: Actor
    what: Action
    reference: str | None
    tenant: str | None
    outcome: ActionOutcome


def by_this_account(way: ActionChannel) -> Actor:
    """Return the account that this process runs as."""
    try:
        return Actor(pwd.getpwuid(os.getuid()).pw_name, way)
    except KeyError:  # in a container the user id may have no name
        return Actor(f"user {os.getuid()}", way)


def write(
    connection: sa.Connection,
    by: Actor,
    what: Action,
    outcome: ActionOutcome,
    now: datetime,
    *,
    reference: str | None = None,
    tenant: str | None = None,
) -> None:
    """Add an entry in the action's own transaction, so that neither exists without the other.

    reference: as it was typed; anything that cannot be a reference is not stored, because it could be personal data,
    such as an email address.
    """
    connection.execute(
        audit_log.insert().values(
            at=now,
            who=by.name[:100],
            way=by.way,
            what=what,
            reference=reference if reference and _REFERENCE.fullmatch(reference) else None,
            tenant=tenant,
            outcome=outcome,
        )
    )


def entries(
    db: Database, *, reference: str | None = None, before: int | None = None, limit: int = 50
) -> list[AuditEntry]:
    """Return entries, newest first. reference: only those about it. before: only those older than this entry number."""
    c = audit_log.c
    query = sa.select(audit_log).order_by(c.id.desc()).limit(limit)
    if reference is not None:
        query = query.where(c.reference == reference)
    if before is not None:
        query = query.where(c.id < before)
    with db.read() as connection:
        return [
            AuditEntry(
                row.id,
                row.at,
                Actor(row.who, ActionChannel(row.way)),
                Action(row.what),
                row.reference,
                row.tenant,
                ActionOutcome(row.outcome),
            )
            for row in connection.execute(query)
        ]


def was_just_done(what: str, newest: list[AuditEntry], now: datetime) -> bool:
    """Return whether the newest entry records this action within the last minute.

    Pages use it for their success message, which therefore does not appear when their URL is opened later.
    """
    return (
        bool(newest)
        and (newest[0].what, newest[0].outcome) == (what, ActionOutcome.DONE)
        and now - newest[0].at < _FRESH
    )


def forget_old(db: Database, now: datetime) -> None:
    """Delete entries older than KEPT."""
    delete_old(db, audit_log, audit_log.c.at < now - KEPT)


audit_log = sa.Table(
    "audit_log",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("at", Instant, nullable=False),
    sa.Column("who", sa.String(100), nullable=False),
    sa.Column("way", sa.String(10), nullable=False),
    sa.Column("what", sa.String(20), nullable=False),
    sa.Column("reference", sa.String(32)),
    sa.Column("tenant", sa.String(50)),
    sa.Column("outcome", sa.String(10), nullable=False),
)
sa.Index("ix_audit_log_reference", audit_log.c.reference)
sa.Index("ix_audit_log_at", audit_log.c.at)
