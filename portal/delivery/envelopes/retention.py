"""Retention of deliveries: deletes old receipts, and contents of failed deliveries after a notice to the operator.

A failed delivery may be the only copy of an application, so its operator is notified first:
1. When NOTICE is left of its retention period, an email that names it is queued.
2. Once the email was sent, that is noted; one that could not be sent is queued again.
3. When NOTICE has passed since then and the period is over, the delivery is discarded as an operator would discard it.
A delivery whose company names no operator is kept, and /metrics counts it.
"""

from collections import defaultdict
from collections.abc import Callable
from datetime import datetime, timedelta

import sqlalchemy as sa
from babel import Locale

from portal.background.mails import queue as mail_queue
from portal.background.outbox import queue
from portal.background.outbox.states import OutboxState
from portal.background.outbox.tables import in_state, of_kinds, outbox
from portal.delivery.envelopes import submissions
from portal.delivery.envelopes.kinds import Kinds
from portal.delivery.envelopes.tables import deletion_notices, deliveries
from portal.platform import local_time
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import Database, in_steps, insert
from portal.platform.logs import EventName, event
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant
from portal.tenants.retention import Cutoffs

NOTICE = timedelta(days=14)
_AT_ONCE = 500
_DISCARDED_AT_ONCE = 50
_LISTED = 100
"""References in one email; the next check, an hour later, reports the rest."""
_TEMPLATE = "expiring"
_n = deletion_notices.c


def forget_receipts(
    db: Database, old: Cutoffs, *, unless: Callable[[sa.ColumnElement[str]], sa.ColumnElement[bool]]
) -> int:
    """Delete finished deliveries that were accepted long ago, with their repeats; return how many, without repeats.

    unless: a condition on the reference of one that is kept. Unfinished deliveries are in the outbox, and are kept. So
    are deliveries with a recent repeat, because the receipt of the repeat shows the status of the first one.
    """
    d, repeat, total = deliveries.c, deliveries.alias().c, 0
    over = sa.and_(d.ended.is_not(None), d.duplicate_of.is_(None), old.passed(d.tenant, d.accepted_at))
    later = sa.exists().where(repeat.duplicate_of == d.reference, ~old.passed(repeat.tenant, repeat.accepted_at))
    query = sa.select(d.reference, d.accepted_at).where(over, ~later, ~unless(d.reference))
    last: tuple[datetime, str] | None = None

    def step() -> bool:
        nonlocal last, total
        place = sa.tuple_(d.accepted_at, d.reference)
        after = (
            query if last is None else query.where(place > sa.tuple_(sa.literal(last[0], d.accepted_at.type), last[1]))
        )
        rows = db.rows(after.order_by(d.accepted_at, d.reference).limit(_AT_ONCE))
        if not rows:
            return False
        references = [row.reference for row in rows]
        with db.write() as connection:
            gone = sa.or_(d.reference.in_(references), d.duplicate_of.in_(references))
            connection.execute(deliveries.delete().where(gone))
        last, total = (rows[-1].accepted_at, rows[-1].reference), total + len(rows)
        return True

    in_steps(step)
    return total


def _failed(kinds: Kinds, old: Cutoffs) -> sa.ColumnElement[bool]:
    """Return a condition on `outbox`: it is a delivery that failed long ago."""
    return sa.and_(in_state(OutboxState.DEAD), of_kinds(list(kinds)), old.passed(outbox.c.tenant, outbox.c.settled_at))


def count_expiring(db: Database, kinds: Kinds, old: Cutoffs) -> dict[str, int]:
    """Return by tenant how many failed deliveries expire within NOTICE, or have expired."""
    query = sa.select(outbox.c.tenant, sa.func.count()).where(_failed(kinds, old.before(-NOTICE)))
    return {row[0]: row[1] for row in db.rows(query.group_by(outbox.c.tenant))}


def notify_of_expiring(db: Database, seal: Seal, kinds: Kinds, tenants: Tenants, old: Cutoffs, clock: Clock) -> None:
    """Queue an email to each operator concerned, about failed deliveries that no email since their failure mentions."""
    o = outbox.c
    notified = sa.exists().where(_n.reference == o.subject, _n.queued_at >= o.settled_at)
    query = sa.select(o.tenant, o.subject).where(_failed(kinds, old.before(-NOTICE)), ~notified).order_by(o.settled_at)
    expiring: dict[str, list[str]] = defaultdict(list)
    for slug, reference in db.rows(query):
        expiring[slug].append(reference)
    for slug, references in expiring.items():
        tenant = tenants.get(slug)
        if tenant is not None and tenant.mail.operator is not None:
            with db.write() as connection:
                _tell(connection, seal, tenant, tenant.mail.operator, references[:_LISTED], clock.now())


def _tell(
    connection: sa.Connection, seal: Seal, tenant: Tenant, operator: str, references: list[str], now: datetime
) -> None:
    """Queue one email about these deliveries, except those that another worker is reporting at the same time."""
    settled = sa.select(outbox.c.settled_at).where(outbox.c.subject == _n.reference).scalar_subquery()
    connection.execute(deletion_notices.delete().where(_n.reference.in_(references), _n.queued_at < settled))
    rows = [{"reference": one, "letter": "", "queued_at": now} for one in references]
    added = insert(connection, deletion_notices).values(rows).on_conflict_do_nothing().returning(_n.reference)
    mine = sorted(connection.scalars(added))
    if mine:
        locale = tenant.site.locales[0]
        day = local_time.date_of(now + NOTICE, local_time.zone_of(tenant.site.timezone))
        letter = mail_queue.send(
            connection,
            seal,
            tenant=tenant.slug,
            template=_TEMPLATE,
            locale=locale,
            recipient=operator,
            facts={"references": mine, "day": local_time.day_in_words(day, Locale.parse(locale, sep="-"))},
            now=now,
        )
        connection.execute(deletion_notices.update().where(_n.reference.in_(mine)).values(letter=letter))


def record_sent_notices(db: Database) -> None:
    """Record which emails were sent; delete notices whose email failed, or whose delivery is no longer failed."""
    o = outbox.c
    row = sa.and_(o.kind == mail_queue.KIND, o.subject == _n.letter)
    sent_at = sa.select(o.settled_at).where(row, o.state == OutboxState.DELIVERED).scalar_subquery()
    on_its_way = sa.exists().where(row, o.state.not_in([OutboxState.DEAD, OutboxState.DISCARDED]))
    is_failed = sa.exists().where(o.subject == _n.reference, in_state(OutboxState.DEAD))
    if not db.exists(sa.select(_n.reference).limit(1)):
        return
    with db.write() as connection:
        untold = _n.told_at.is_(None)
        connection.execute(deletion_notices.update().where(untold).values(told_at=sent_at))
        connection.execute(deletion_notices.delete().where(sa.or_(sa.and_(untold, ~on_its_way), ~is_failed)))


def discard_expired(db: Database, kinds: Kinds, old: Cutoffs, clock: Clock) -> int:
    """Discard expired failed deliveries whose operator was notified at least NOTICE ago; return how many."""
    o, now, total = outbox.c, clock.now(), 0
    query = (
        sa.select(o.kind, o.subject, o.tenant)
        .join(deletion_notices, _n.reference == o.subject)
        .where(_failed(kinds, old), _n.queued_at >= o.settled_at, _n.told_at <= now - NOTICE)
        .limit(_DISCARDED_AT_ONCE)
    )

    def step() -> bool:
        nonlocal total
        rows = db.rows(query)
        if not rows:
            return False
        with db.write() as connection:
            gone = [row for row in rows if queue.discard(connection, row.kind, row.subject, now, only_dead=True)]
            for row in gone:
                submissions.erase(connection, row.subject, now)
            connection.execute(deletion_notices.delete().where(_n.reference.in_([row.subject for row in rows])))
        for row in gone:
            event(EventName.DISCARDED, tenant=row.tenant, reference=row.subject, kind=row.kind)
        total += len(gone)
        return True

    in_steps(step)
    return total
