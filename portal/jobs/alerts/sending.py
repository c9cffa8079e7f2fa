"""The worker's part of alerts: queues mails about new jobs and about expiry, and deletes expired alerts.

For each alert, in one transaction:
1. Record new jobs.
2. Claim the alert by an UPDATE of its row as it was read, which moves its due time and the jobs that it has seen.
3. If that UPDATE changed the row and there are new jobs, queue one mail.
So one worker announces each job once, and a crash before the commit changes nothing.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from babel import Locale

from portal.background.mails import queue as mail_queue
from portal.background.mails.queue import Fact
from portal.jobs.alerts import subscribing
from portal.jobs.alerts.subscribing import Alert, forget, key_of, next_mail_at, opened, sealed
from portal.jobs.alerts.tables import alerts
from portal.jobs.posting import Hit, JobLocation, Query, Sort
from portal.jobs.search import search
from portal.platform import local_time
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal, Unreadable
from portal.platform.database.db import Database
from portal.platform.errors import PortalError, error_location
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant

log = logging.getLogger(__name__)

LISTED = 10
"""Maximum jobs in one mail; if there are more, the mail links to the list of all."""
WARNED_BEFORE = timedelta(days=7)
_A_DAY = timedelta(days=1)
_c = alerts.c


@dataclass(frozen=True, slots=True)
class AlertSender:
    """The worker's jobs for alerts. parse_search: parses the query of a list's URL. at_once: alerts in memory."""

    db: Database
    seal: Seal
    tenants: Tenants
    clock: Clock
    parse_search: Callable[[str], Query]
    at_once: int = 200

    def queue_due(self) -> int:
        """Queue mails of alerts that are due; return how many. A failing alert does not affect the others."""
        return sum(self._each(_c.due_at <= self.clock.now(), self._news))

    def queue_expiry_warnings(self) -> int:
        """Queue a mail for each alert that ends within a week, once; return how many."""
        soon = sa.and_(_c.ends_at <= self.clock.now() + WARNED_BEFORE, _c.warned_at.is_(None))
        return sum(self._each(sa.and_(soon, _c.confirmed_at.is_not(None)), self._ending))

    def delete_ended(self) -> None:
        """Delete alerts that ended after their last mail or were never confirmed; at the latest four weeks after."""
        now = self.clock.now()
        warned = sa.or_(_c.confirmed_at.is_(None), _c.warned_at.is_not(None), _c.ends_at <= now - 4 * WARNED_BEFORE)
        over = sa.select(_c.id, _c.tenant).where(_c.ends_at <= now, warned)
        rows = self.db.rows(over.limit(self.at_once))
        for slug in {row.tenant for row in rows}:
            with self.db.write() as connection:
                forget(connection, [row.id for row in rows if row.tenant == slug], tenant=slug, now=now)

    def _each(self, due: sa.ColumnElement[bool], job: Callable[[Tenant, Alert], int]) -> Iterator[int]:
        """Run `job` on alerts, the longest overdue first; skip one that fails, which is retried in the next run."""
        known = {tenant.slug: tenant for tenant in self.tenants.all()}
        query = sa.select(alerts).where(due, _c.tenant.in_(known)).order_by(_c.due_at, _c.id).limit(self.at_once)
        rows: Sequence[sa.Row[*tuple[Any, ...]]] = ()
        while not rows or len(rows) == self.at_once:
            after = _after(rows[-1]) if rows else sa.true()
            rows = self.db.rows(query.where(after))
            if not rows:
                return
            for row in rows:
                yield self._guarded(job, known[row.tenant], row)

    def _guarded(self, job: Callable[[Tenant, Alert], int], tenant: Tenant, row: sa.Row[*tuple[Any, ...]]) -> int:
        try:
            return job(tenant, opened(self.seal, row))
        except Unreadable:
            self._put_off(tenant, row)
        except PortalError as error:
            log.error("alerts of %s: %s", tenant.slug, error)  # noqa: TRY400  expected during an outage
        except Exception as error:  # noqa: BLE001  a failing alert must not affect the others
            log.error("internal error with an alert of %s: %s", tenant.slug, error_location(error))  # noqa: TRY400  a traceback may hold an address
        return 0

    def _put_off(self, tenant: Tenant, row: sa.Row[*tuple[Any, ...]]) -> None:
        """Postpone an alert that cannot be decrypted by a day; its secret key may be missing only temporarily."""
        now = self.clock.now()
        same = alerts.update().where(_c.id == row.id, _c.due_at == row.due_at, _c.due_at <= now)
        was_due = self.db.run(same.values(due_at=now + _A_DAY))
        if was_due:
            log.error("an alert of %s needs an unknown secret key: check PORTAL_SECRET_KEY_FALLBACKS", tenant.slug)

    def _news(self, tenant: Tenant, alert: Alert) -> int:
        now = self.clock.now()
        query = replace(self.parse_search(alert.search.address), sort=Sort.DATE, after=None, size=LISTED)
        with self.db.write() as connection:
            number = subscribing.record_new_jobs(connection, tenant, now)
            claim = alerts.update().where(
                _c.id == alert.id, _c.due_at == alert.due_at, _c.seen == alert.seen, _c.confirmed_at.is_not(None)
            )
            claimed = connection.execute(
                claim.values(
                    due_at=next_mail_at(alert.every, alert.id, tenant.site.timezone, now),
                    seen=number,
                    sealed=sealed(self.seal, alert.email, alert.search),  # encrypted with the current key from now on
                )
            )
            if claimed.rowcount != 1 or number == alert.seen:
                return 0
            found = search.first_page_among_rows(connection, tenant, query, subscribing.since(tenant, alert.seen), now)
            if not found.hits:
                return 0
            news = {"jobs": _jobs(found.hits, alert.locale), "more": "yes" if found.following else None}
            self._send(connection, tenant, alert, "alert", {**news, "address": alert.search.address}, now)
            return 1

    def _ending(self, tenant: Tenant, alert: Alert) -> int:
        """Queue the last mail, a week before the alert ends; if no worker ran then, it ends a week from now."""
        now = self.clock.now()
        ends = max(alert.ends_at, now + WARNED_BEFORE)
        claim = alerts.update().where(_c.id == alert.id, _c.warned_at.is_(None), _c.ends_at == alert.ends_at)
        with self.db.write() as connection:
            if connection.execute(claim.values(warned_at=now, ends_at=ends)).rowcount != 1:
                return 0
            self._send(connection, tenant, alert, "alert_ending", {"day": _day(ends, tenant, alert.locale)}, now)
            return 1

    def _send(
        self,
        connection: sa.Connection,
        tenant: Tenant,
        alert: Alert,
        template: str,
        facts: Mapping[str, Fact],
        now: datetime,
    ) -> None:
        about = {"alert": alert.id, "key": key_of(self.seal, tenant.slug, alert.id)}
        mail_queue.send(
            connection,
            self.seal,
            tenant=tenant.slug,
            template=template,
            locale=alert.locale,
            recipient=alert.email,
            facts={**about, "search": alert.search.words, "every": alert.every, **facts},
            now=now,
            about=alert.id,
        )


def _after(row: sa.Row[*tuple[Any, ...]]) -> sa.ColumnElement[bool]:
    return sa.or_(_c.due_at > row.due_at, sa.and_(_c.due_at == row.due_at, _c.id > row.id))


def _jobs(hits: tuple[Hit, ...], language: str) -> list[list[str]]:
    locale = Locale.parse(language, sep="-")
    return [
        [hit.posting.id, hit.posting.title, _place(hit.posting.place, locale), hit.posting.client or ""] for hit in hits
    ]


def _day(instant: datetime, tenant: Tenant, language: str) -> str:
    there = instant.astimezone(ZoneInfo(tenant.site.timezone))
    return local_time.day_in_words(there.date(), Locale.parse(language, sep="-"))


def _place(place: JobLocation, locale: Locale) -> str:
    country = place.country and locale.territories.get(place.country.upper(), place.country)
    return ", ".join(filter(None, (place.city, country)))


@dataclass(frozen=True, slots=True)
class AlertCounts:
    """asked: number of alerts that wait for confirmation. late: seconds since the most overdue one was due."""

    confirmed: int = 0
    asked: int = 0
    late: float = 0.0

    @property
    def in_words(self) -> str:
        """The counts as one line."""
        return f"{self.confirmed} confirmed, {self.asked} not confirmed yet"


def counts_by_tenant(db: Database, now: datetime) -> dict[str, AlertCounts]:
    """Return the counts by tenant, without tenants that have no alerts."""
    c = alerts.c
    query = sa.select(
        c.tenant,
        sa.func.count(c.confirmed_at).label("confirmed"),
        sa.func.count().label("all"),
        sa.func.min(c.due_at, type_=c.due_at.type).label("due"),
    ).group_by(c.tenant)
    rows = db.rows(query)
    return {
        row.tenant: AlertCounts(
            row.confirmed, row.all - row.confirmed, max(0.0, (now - row.due).total_seconds()) if row.due else 0.0
        )
        for row in rows
    }
