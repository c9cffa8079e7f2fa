"""How long the portal keeps data that it would otherwise keep for ever: PORTAL_FORGET_AFTER, or less by [retention].

A tenant's periods are in days and can only be shorter: so a tenant whose file cannot be loaded now loses nothing that
it keeps. Data that is not delivered yet is never deleted, regardless of the periods.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated

import sqlalchemy as sa
from pydantic import Field

LEAST_DAYS, MOST_DAYS = 30, 3_650
"""Bounds of each period. For 30 days the same content from another form counts as the same application."""
HISTORY = timedelta(days=90)
"""How long a record's history is kept at most."""
_Days = Annotated[int, Field(strict=True, ge=LEAST_DAYS, le=MOST_DAYS)]


@dataclass(frozen=True, slots=True)
class Retention:
    """The [retention] section of a tenant file, each in days; None: PORTAL_FORGET_AFTER.

    receipts: since an application or change was accepted. dead_submissions: since it failed, for its contents.
    history: since an event of a record. jobs: since the service stopped listing a job. requests: since a withdrawal or
    erasure was answered.
    """

    receipts: _Days | None = None
    dead_submissions: _Days | None = None
    history: _Days | None = None
    jobs: _Days | None = None
    requests: _Days | None = None


class RetentionPeriod(StrEnum):
    """What a period is for; the values are the names in the section."""

    RECEIPTS = "receipts"
    FAILED = "dead_submissions"
    HISTORY = "history"
    JOBS = "jobs"
    REQUESTS = "requests"


def period(retention: Retention, what: RetentionPeriod, *, otherwise: float) -> timedelta:
    """Return how long a tenant's portal keeps something. otherwise: PORTAL_FORGET_AFTER, in seconds."""
    days: int | None = getattr(retention, what)
    longest = timedelta(seconds=otherwise)
    if what is RetentionPeriod.HISTORY:
        longest = min(longest, HISTORY)
    return longest if days is None else min(longest, timedelta(days=days))


@dataclass(frozen=True, slots=True)
class Cutoffs:
    """The instants before which something is old: by tenant, and for all other tenants, even without a tenant file."""

    usual: datetime
    by_tenant: Mapping[str, datetime]

    def before(self, by: timedelta) -> "Cutoffs":
        """Return the same instants, each earlier by some time; later if it is negative."""
        return Cutoffs(self.usual - by, {slug: at - by for slug, at in self.by_tenant.items()})

    def passed(self, tenant: sa.ColumnElement[str], at: sa.ColumnElement[datetime]) -> sa.ColumnElement[bool]:
        """Return a condition: what happened at `at` is old. Its first part is one range of an index."""
        slugs: dict[datetime, list[str]] = {}
        for slug, cutoff in self.by_tenant.items():
            slugs.setdefault(cutoff, []).append(slug)
        others = sa.and_(tenant.not_in(list(self.by_tenant)), at < self.usual)
        named = [sa.and_(tenant.in_(theirs), at < cutoff) for cutoff, theirs in slugs.items()]
        return sa.and_(at < max(self.usual, *slugs), sa.or_(others, *named)) if slugs else at < self.usual


def cutoffs(
    retentions: Mapping[str, Retention], what: RetentionPeriod | None, *, otherwise: float, now: datetime
) -> Cutoffs:
    """Return the instants before which something is old now. what: None: of the longest period.

    retentions: by slug; otherwise: as in period().
    """
    some = [what] if what else list(RetentionPeriod)
    usual = max(period(Retention(), one, otherwise=otherwise) for one in some)
    periods = {slug: max(period(rules, one, otherwise=otherwise) for one in some) for slug, rules in retentions.items()}
    return Cutoffs(now - usual, {slug: now - one for slug, one in periods.items() if one != usual})
