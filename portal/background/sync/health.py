"""The health of the sync, for `portal check`, /readyz and /metrics."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from portal.background.sync import state
from portal.background.sync.tables import ListName, passes
from portal.platform.database.db import Database, Instant, insert, metadata
from portal.tenants.model import Tenant

STALE = timedelta(minutes=30)
"""Time since the last complete pass after which a list is reported to operators."""
NOT_YET = "not synced yet: `portal worker` does this automatically, `portal sync` immediately"
"""The message for a new installation, and during its first pass; it reports no failure."""
_FAILING = "failing since "
_NO_SUCCESS = "no sync has succeeded yet"


@dataclass(frozen=True, slots=True)
class Health:
    """The health of one tenant's list. age: seconds since the last successful read, None before the first.

    age is up to half a minute too high, because passes that find nothing new are recorded together. failures: in a row.
    error: of the last pass, without personal data. alarm: the message of the last full pass to operators.
    """

    age: float | None
    failures: int
    failing_since: datetime | None
    error: str | None
    alarm: str | None


def all_of(db: Database, name: ListName, now: datetime) -> dict[str, Health]:
    """Return the health of one list by tenant, for every tenant with a recorded state."""
    return {
        tenant: Health(
            age=max(0.0, (now - found.succeeded_at).total_seconds()) if found.succeeded_at else None,
            failures=found.failures,
            failing_since=found.failing_since,
            error=found.error,
            alarm=found.alarm,
        )
        for (of, tenant), found in state.all_of(db).items()
        if of == name
    }


def was_read_whole(db: Database, name: ListName, tenant: str) -> bool:
    """Return whether a full pass over a tenant's list was ever completed."""
    with db.read() as connection:
        query = sa.select(passes.c.full_at).where(passes.c.list == name, passes.c.tenant == tenant)
        return connection.scalar(query) is not None


def problems(db: Database, name: ListName, tenant: str, now: datetime) -> list[str]:
    """Return problems of the sync of a tenant's list for operators, one line each; empty if there are none."""
    known = all_of(db, name, now).get(tenant)
    if known is None or (known.age is None and not known.failures):
        return [NOT_YET]
    lines: list[str] = []
    if known.failures:
        since = f"{known.failing_since:%Y-%m-%d %H:%M} UTC" if known.failing_since else "the last pass"
        lines.append(f"{_FAILING}{since}, {known.failures} in a row: {known.error}")
    if known.age is None:
        lines.append(_NO_SUCCESS)
    elif known.age > STALE.total_seconds():
        lines.append(f"the data is {int(known.age // 60)} minutes old: check that `portal worker` is running")
    if known.alarm:
        lines.append(known.alarm)
    return lines


def may_be_over(db: Database, name: ListName, tenant: str, now: datetime, problem: str) -> bool:
    """Return whether a problem may only be that no pass was made since the service responds again.

    The pause after failures is no longer than PAUSE_MOST, so a service that has failed for longer has failed again
    since.
    """
    known = all_of(db, name, now).get(tenant)
    lately = known is not None and known.failing_since is not None and now - known.failing_since < state.PAUSE_MOST
    return lately and problem.startswith((_FAILING, _NO_SUCCESS))


WARNED_BELOW = 14
"""Days of validity below which operators are warned."""
_DAY = 86_400.0

service_certificates = sa.Table(
    "service_certificates",
    metadata,
    sa.Column("tenant", sa.String(50), primary_key=True),
    sa.Column("valid_until", Instant, nullable=False),
)


class Certificates:
    """The recorder of expiry dates; it writes only a date that this process has not written yet."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._known: dict[str, datetime] = {}

    def note(self, tenant: str, valid_until: datetime | None) -> None:
        """Record an expiry date. valid_until: None if no connection of this process has shown it."""
        if valid_until is None or self._known.get(tenant) == valid_until:
            return
        with self._db.write() as connection:
            row = insert(connection, service_certificates).values(tenant=tenant, valid_until=valid_until)
            connection.execute(row.on_conflict_do_update(index_elements=["tenant"], set_={"valid_until": valid_until}))
        self._known[tenant] = valid_until

    def note_expired(self, tenant: str, now: datetime) -> None:
        """Record that a connection failed because the certificate is not valid now.

        Its date is unknown, so `now` is stored.
        """
        known = self._known.get(tenant)
        if known is None or known > now:
            self.note(tenant, now)


def days_left(db: Database, tenants: Iterable[Tenant], now: datetime) -> dict[str, float]:
    """Return slug → days until the service's certificate expires, negative afterwards; for https base URLs only."""
    secured = {tenant.slug for tenant in tenants if tenant.tracker.base_url.startswith("https:")}
    rows = db.rows(sa.select(service_certificates))
    return {row.tenant: (row.valid_until - now).total_seconds() / _DAY for row in rows if row.tenant in secured}


def validity_in_words(days: float) -> str:
    """Return the validity in words: `is valid for 9 more days`."""
    if days <= 0:
        return "has expired"
    whole = int(days)
    return f"is valid for {whole} more day{'' if whole == 1 else 's'}"
