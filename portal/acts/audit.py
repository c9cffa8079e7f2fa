"""Who did what by hand, when, on what, and how it ended; nothing personal beside the operator's own name."""

import os
import pwd
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

import sqlalchemy as sa

from portal.acts.tables import audit_log
from portal.db import Database

KEPT = timedelta(days=400)
"""Over a year, so that a yearly look at it misses nothing."""
_FRESH = timedelta(minutes=1)
_REFERENCE = re.compile(r"[0-9A-Za-z]{1,32}")


class Way(StrEnum):
    """How it was done."""

    DESK = "desk"
    COMMAND = "command"


class What(StrEnum):
    """What was done."""

    RETRY = "retry"
    RELEASE = "release"
    DISCARD = "discard"
    DONE = "done"
    WAKE = "wake"
    CHECK = "check"


class Outcome(StrEnum):
    """How it ended."""

    DONE = "done"
    REFUSED = "refused"
    """There was nothing to do it to, or it was too late."""


@dataclass(frozen=True, slots=True)
class By:
    """Who acts. name: of an account at the operator's single sign-on, or of the machine."""

    name: str
    way: Way


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the log."""

    number: int
    at: datetime
    by: By
    what: What
    reference: str | None
    tenant: str | None
    outcome: Outcome


def by_this_account(way: Way) -> By:
    """Whoever this process runs as."""
    try:
        return By(pwd.getpwuid(os.getuid()).pw_name, way)
    except KeyError:  # a container runs as a number that has no name
        return By(f"user {os.getuid()}", way)


def write(
    connection: sa.Connection,
    by: By,
    what: What,
    outcome: Outcome,
    now: datetime,
    *,
    reference: str | None = None,
    tenant: str | None = None,
) -> None:
    """One line more, in the transaction of the act itself: there is no act without its line, and no line without it.

    reference: as it was typed; what cannot be one is not kept, for it may be anything, an address too.
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


def lines(db: Database, *, reference: str | None = None, before: int | None = None, limit: int = 50) -> list[Line]:
    """The newest first. reference: about that one alone. before: those older than the line of that number."""
    c = audit_log.c
    query = sa.select(audit_log).order_by(c.id.desc()).limit(limit)
    if reference is not None:
        query = query.where(c.reference == reference)
    if before is not None:
        query = query.where(c.id < before)
    with db.read() as connection:
        return [
            Line(
                row.id,
                row.at,
                By(row.who, Way(row.way)),
                What(row.what),
                row.reference,
                row.tenant,
                Outcome(row.outcome),
            )
            for row in connection.execute(query)
        ]


def was_just_done(what: str, newest: list[Line], now: datetime) -> bool:
    """Whether the newest of these lines says so, of this moment: an address that is opened later says nothing."""
    return bool(newest) and (newest[0].what, newest[0].outcome) == (what, Outcome.DONE) and now - newest[0].at < _FRESH


def forget_old(db: Database, now: datetime) -> None:
    """Delete what is older than KEPT."""
    old = audit_log.c.at < now - KEPT
    with db.read() as connection:
        if not connection.execute(sa.select(sa.exists().where(old))).scalar():
            return
    with db.write() as connection:
        connection.execute(audit_log.delete().where(old))
