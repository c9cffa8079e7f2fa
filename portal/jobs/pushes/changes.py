"""Changes since search engines were last notified → batches in the outbox.

Changes are found by comparison, not by events: what closes by its date, by a rule or while no worker runs is noticed,
too, and a posting that changed five times meanwhile causes one notice.

Several workers may compare at the same time, so a comparison is one transaction:
1. Lock the tenant's row of `push_looks`.
2. Compare what is open with what was sent or queued.
3. Store the differences with their batches, and queue each batch.
A posting whose former batch is still queued moves from it to the new one.
"""

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import sqlalchemy as sa

from portal.background.outbox import health, queue
from portal.background.outbox.states import FINISHED, UNFINISHED, OutboxState
from portal.background.outbox.tables import outbox
from portal.jobs.mirror import version
from portal.jobs.open_jobs import open_dates
from portal.jobs.pushes.search_engines import account_of
from portal.jobs.pushes.tables import Channel, push_looks, pushes
from portal.jobs.tables import vacancies
from portal.platform.database.db import Database, delete_old, insert
from portal.platform.errors import SettingsError
from portal.tenants.model import Tenant
from portal.tenants.retention import Cutoffs

DAY = timedelta(days=1)
GOOGLES_DAY = 200
"""Notifications a day that Google grants a project; each URL counts."""
_AT_ONCE = {Channel.GOOGLE: 1, Channel.INDEX_NOW: 1_000}
"""Postings in one request."""
_BATCHES = 20
"""Batches queued in one transaction, to keep it short."""


class PushNotice(NamedTuple):
    """The notice to send about a posting, or the last one."""

    posting_id: str
    is_open: bool
    changed_at: datetime


def lane(tenant: Tenant, channel: Channel) -> str:
    """Return the outbox lane (destination). Tenants that share a Google account share its lane and its daily quota."""
    whose = tenant.push.google.as_posix()[-60:] if channel is Channel.GOOGLE and tenant.push.google else tenant.slug
    return f"push-{channel}:{whose}"


def queue_changes(db: Database, tenant: Tenant, channel: Channel, now: datetime) -> int:
    """Queue changes for one channel; return the number of postings: 0 if none changed, or the daily quota is used
    up."""
    tag = version.current(db, tenant.slug, now).tag
    mine = (push_looks.c.tenant == tenant.slug, push_looks.c.channel == channel)
    with db.read() as connection:
        if connection.scalar(sa.select(push_looks.c.version).where(*mine)) == tag:
            return 0
        if not _left_today(connection, tenant, channel, now):
            return 0
    is_open = {job.posting_id: job.changed_at for job in open_dates(db, tenant, now)}
    with db.write() as connection:
        lock_compared(connection, tenant, channel)
        p = pushes.c
        query = sa.select(p.posting_id, p.is_open, p.changed_at).where(p.tenant == tenant.slug, p.channel == channel)
        news = compare({row.posting_id: PushNotice(*row) for row in connection.execute(query)}, is_open, now)
        most = _left_today(connection, tenant, channel, now) * _AT_ONCE[channel]
        _queue(connection, tenant, channel, news[:most], now)
        connection.execute(push_looks.update().where(*mine).values(version=tag if len(news) <= most else ""))
    return min(len(news), most)


def forget_settled(db: Database, now: datetime) -> None:
    """Delete rows from the outbox that do not count towards the daily quota any more."""
    for channel in Channel:
        with db.write() as connection:
            over = queue.finished(connection, [channel], (*FINISHED, OutboxState.DEAD), before=now - 2 * DAY, limit=500)
            if over:
                queue.remove(connection, channel, [one.subject for one in over])


def forget_gone(db: Database, old: Cutoffs) -> None:
    """Delete old notices of jobs that are closed, or are not in the mirror any more.

    A notice that such a job has opened again does not need them.
    """
    p, v = pushes.c, vacancies.c
    mirrored = sa.exists().where(v.tenant == p.tenant, v.posting_id == p.posting_id)
    waits = sa.exists().where(outbox.c.kind == p.channel, outbox.c.subject == p.batch)
    is_over = sa.and_(sa.or_(p.is_open.is_(False), ~mirrored), ~waits)
    delete_old(db, pushes, sa.and_(old.passed(p.tenant, p.changed_at), is_over))


def lock_compared(connection: sa.Connection, tenant: Tenant, channel: Channel) -> bool:
    """Lock the tenant's row of `push_looks`; return whether it is new, so that no notice was ever stored."""
    row = {"tenant": tenant.slug, "channel": channel, "version": ""}
    # Not rowcount, which PostgreSQL's driver does not report for an insert.
    added = insert(connection, push_looks).on_conflict_do_nothing().returning(push_looks.c.tenant)
    is_new = connection.execute(added, row).first() is not None
    mine = sa.select(push_looks).where(push_looks.c.tenant == tenant.slug, push_looks.c.channel == channel)
    connection.execute(mine.with_for_update())
    return is_new


def _left_today(connection: sa.Connection, tenant: Tenant, channel: Channel, now: datetime) -> int:
    """Return how many batches may be queued now."""
    if channel is not Channel.GOOGLE:
        return _BATCHES
    return max(0, GOOGLES_DAY - queue.queued_since(connection, channel, lane(tenant, channel), now - DAY))


def compare(known: Mapping[str, PushNotice], is_open: Mapping[str, datetime], now: datetime) -> list[PushNotice]:
    """Return the changes: closed postings first, because their visitors find no open job; then the newest."""
    closed = [
        PushNotice(key, is_open=False, changed_at=now)
        for key, last in known.items()
        if last.is_open and key not in is_open
    ]
    current = (PushNotice(key, is_open=True, changed_at=at) for key, at in is_open.items())
    changed = [one for one in current if known.get(one.posting_id) != one]
    return closed + sorted(changed, key=lambda one: one.changed_at, reverse=True)


def _queue(
    connection: sa.Connection, tenant: Tenant, channel: Channel, news: Sequence[PushNotice], now: datetime
) -> None:
    for start in range(0, len(news), _AT_ONCE[channel]):
        batch = secrets.token_hex(16)
        remember(connection, tenant, channel, [(one, batch) for one in news[start : start + _AT_ONCE[channel]]])
        queue.enqueue(connection, kind=channel, subject=batch, tenant=tenant.slug, lane=lane(tenant, channel), now=now)


def remember(
    connection: sa.Connection, tenant: Tenant, channel: Channel, notices: Sequence[tuple[PushNotice, str]]
) -> None:
    """Store the latest notice of each posting, with the batch that sends it."""
    if not notices:
        return
    added = insert(connection, pushes)
    latest = added.on_conflict_do_update(
        index_elements=["tenant", "channel", "posting_id"],
        set_={name: added.excluded[name] for name in ("is_open", "changed_at", "batch")},
    )
    about = {"tenant": tenant.slug, "channel": channel}
    connection.execute(latest, [about | one._asdict() | {"batch": batch} for one, batch in notices])


def channels_of(tenant: Tenant) -> list[Channel]:
    """Return the channels that the tenant file configures."""
    wanted = {Channel.INDEX_NOW: tenant.push.index_now, Channel.GOOGLE: tenant.push.google}
    return [channel for channel, set_up in wanted.items() if set_up]


def status_of(db: Database, tenant: Tenant, channel: Channel) -> tuple[bool, str]:
    """Return whether a channel works, and a line about it."""
    if tenant.push.google and channel is Channel.GOOGLE:
        try:
            account_of(tenant.push.google)
        except SettingsError as error:
            return False, str(error)
    broken = health.open_breakers(db).get(lane(tenant, channel))
    if broken is not None:
        return False, f"search engines are not told: {broken}; see [push] in the tenant file"
    counts = health.counts(db, channel, tenant=tenant.slug)
    waiting = sum(counts[state] for state in UNFINISHED)
    return True, f"{counts[OutboxState.DELIVERED]} told lately, {waiting} waiting"
