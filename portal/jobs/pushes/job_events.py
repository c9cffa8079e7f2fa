"""Changes since a company's webhook was last notified → an event for each job in the outbox.

Changes are found by comparison, as in changes.py for search engines, so none is missed, however a job closed. Unlike
there, jobs that are open when the webhook is set up cause no events: the company reads jobs.json first. And an event
states the change since the last event that may have been sent: a job that opened, and changed before that event was
sent, is reported as opened.
"""

import logging
import secrets
from collections.abc import Callable, Collection
from datetime import datetime
from functools import partial

import sqlalchemy as sa

from portal.background.outbox import health, queue
from portal.background.outbox.states import UNFINISHED, OutboxState
from portal.background.sync.health import was_read_whole
from portal.background.sync.tables import ListName
from portal.jobs.mirror import version
from portal.jobs.open_jobs import open_dates
from portal.jobs.pushes.changes import DAY, PushNotice, compare, lock_compared, remember
from portal.jobs.pushes.tables import FAILING, MISSING, Channel, push_looks, pushes
from portal.jobs.pushes.webhooks import gone_mark
from portal.platform.database.db import Database, insert
from portal.tenants.model import Tenant

log = logging.getLogger(__name__)

KIND = Channel.JOB_WEBHOOK
_AT_ONCE = 100
"""Events queued in one comparison, every 15 seconds."""
_WAITING_MOST = 1_000
"""Events of one company that may wait; further ones are queued as these are sent."""
_OPENED, _CHANGED, _CLOSED = "opened", "changed", "closed"


def lane(tenant: Tenant) -> str:
    """Return the outbox lane of a company's webhook."""
    return f"webhook:{tenant.slug}"


def steps(db: Database, tenants: Collection[Tenant], now: datetime) -> list[Callable[[], object]]:
    """Return the steps of a comparison for all companies; a failing step must not stop the others."""
    subscribed = [tenant for tenant in tenants if tenant.webhooks.jobs]
    each = [partial(step, db, tenant, now) for tenant in subscribed for step in (queue_events, report_failing)]
    return [*each, partial(forget_removed, db, tenants, now)]


def queue_events(db: Database, tenant: Tenant, now: datetime) -> int:
    """Queue events for the tenant's webhook; return how many: 0 before all vacancies have been read once."""
    if not was_read_whole(db, ListName.VACANCIES, tenant.slug):
        return 0
    tag = version.current(db, tenant.slug, now).tag
    seen = db.value(sa.select(push_looks.c.version).where(*_look(tenant)))
    if seen in {tag, gone_mark(tenant.webhooks)}:
        return 0
    counts = health.counts(db, KIND, tenant=tenant.slug)
    most = min(_AT_ONCE, _WAITING_MOST - sum(counts[state] for state in UNFINISHED))
    is_open = {job.posting_id: job.changed_at for job in open_dates(db, tenant, now)}
    with db.write() as connection:
        if lock_compared(connection, tenant, KIND):
            current = [PushNotice(key, is_open=True, changed_at=at) for key, at in is_open.items()]
            remember(connection, tenant, KIND, [(one, "") for one in current])
            reported, left = [], 0
        else:
            known = _known(connection, tenant)
            news = compare({key: one for key, (one, _) in known.items()}, is_open, now)
            reported, left = news[: max(0, most)], len(news) - most
            events = [(one, _queue(connection, tenant, one, known.get(one.posting_id), now)) for one in reported]
            remember(connection, tenant, KIND, events)
        connection.execute(push_looks.update().where(*_look(tenant)).values(version="" if left > 0 else tag))
    return len(reported)


def _look(tenant: Tenant) -> tuple[sa.ColumnElement[bool], ...]:
    return push_looks.c.tenant == tenant.slug, push_looks.c.channel == KIND


def _known(connection: sa.Connection, tenant: Tenant) -> dict[str, tuple[PushNotice, str]]:
    """Return posting → its latest notice, and the id of that event."""
    p = pushes.c
    query = sa.select(p.posting_id, p.is_open, p.changed_at, p.batch).where(p.tenant == tenant.slug, p.channel == KIND)
    return {
        row.posting_id: (PushNotice(row.posting_id, bool(row.is_open), row.changed_at), row.batch)
        for row in connection.execute(query)
    }


def _queue(
    connection: sa.Connection, tenant: Tenant, news: PushNotice, known: tuple[PushNotice, str] | None, now: datetime
) -> str:
    """Queue an event and return its id; '' if there is nothing to report, because the opening was never sent."""
    was_open, former = (known[0].is_open, known[1]) if known else (False, "")
    since = now
    if former:
        row = queue.find(connection, KIND, former)
        if row and queue.discard_if_unsent(connection, KIND, former, now):
            since = row.created_at  # how long the webhook has failed
            was_open = not former.startswith(_OPENED)
    if not (was_open or news.is_open):
        return ""
    what = _CLOSED if not news.is_open else _CHANGED if was_open else _OPENED
    event_id = f"{what}_{secrets.token_hex(12)}"
    queue.enqueue(connection, kind=KIND, subject=event_id, tenant=tenant.slug, lane=lane(tenant), now=since, due_at=now)
    return event_id


def forget_removed(db: Database, tenants: Collection[Tenant], now: datetime) -> None:
    """Delete the notices of companies that have no webhook any more; a new webhook starts without any.

    If there is no usable tenant file, this happens after a day only: an operator who replaces a file may remove it
    first.
    """
    served = {tenant.slug: tenant.webhooks.jobs is not None for tenant in tenants}
    look = push_looks.c
    query = sa.select(look.tenant, look.channel, look.version).where(look.channel.in_([KIND, MISSING]))
    rows = db.rows(query)
    since = {row.tenant: int(row.version) for row in rows if row.channel == MISSING}
    known, today = {row.tenant for row in rows if row.channel == KIND}, int(now.timestamp())
    over = {one for one in known if not served.get(one, today - since.get(one, today) <= DAY.total_seconds())}
    back, missing = (since.keys() & served.keys()) | over, known - served.keys() - since.keys()
    if not back and not missing:
        return
    with db.write() as connection:
        for table, tenants_of in ((push_looks, {KIND: over, FAILING: over, MISSING: back}), (pushes, {KIND: over})):
            for channel, slugs in tenants_of.items():
                connection.execute(table.delete().where(table.c.channel == channel, table.c.tenant.in_(slugs)))
        for slug in missing:
            row = {"tenant": slug, "channel": MISSING, "version": str(today)}
            connection.execute(insert(connection, push_looks).on_conflict_do_nothing(), row)


def report_failing(db: Database, tenant: Tenant, now: datetime) -> bool:
    """Log, once, that a webhook has failed for a day; return whether this call did."""
    ok, says = status_of(db, tenant, now)
    mine = (push_looks.c.tenant == tenant.slug, push_looks.c.channel == FAILING)
    was_told = db.value(sa.select(push_looks.c.version).where(*mine)) is not None
    if was_told and ok:
        db.run(push_looks.delete().where(*mine))
    if was_told or not _failed_for_a_day(db, tenant, now):
        return False
    with db.write() as connection:
        row = {"tenant": tenant.slug, "channel": FAILING, "version": ""}
        added = insert(connection, push_looks).on_conflict_do_nothing().returning(push_looks.c.tenant)
        is_first = connection.execute(added, row).first() is not None
    if is_first:
        log.error("webhook of %s: %s", tenant.slug, says)
    return is_first


def status_of(db: Database, tenant: Tenant, now: datetime) -> tuple[bool, str]:
    """Return whether the webhook works, and a line about it."""
    if db.value(sa.select(push_looks.c.version).where(*_look(tenant))) == gone_mark(tenant.webhooks):
        return False, "it answers 410, so nothing is sent until [webhooks] in the tenant file changes"
    if _failed_for_a_day(db, tenant, now):
        return False, "nothing has arrived for a day; ask whoever runs it, and see [webhooks] in the tenant file"
    broken = health.open_breakers(db).get(lane(tenant))
    if broken is not None:
        return False, f"it cannot be told: {broken}; see [webhooks] in the tenant file"
    counts = health.counts(db, KIND, tenant=tenant.slug)
    waiting = sum(counts[state] for state in UNFINISHED)
    return True, f"{counts[OutboxState.DELIVERED]} told lately, {waiting} waiting"


def _failed_for_a_day(db: Database, tenant: Tenant, now: datetime) -> bool:
    oldest = health.oldest_unfinished(db, KIND, tenant=tenant.slug)
    given_up = health.counts(db, KIND, tenant=tenant.slug)[OutboxState.DEAD]
    return given_up > 0 or (oldest is not None and now - oldest > DAY)
