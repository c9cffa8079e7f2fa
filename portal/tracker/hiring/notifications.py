"""Emails to colleagues about applications that arrived: one for each, or once a day, as each of them chose.

Applications that arrive together are told of in one email. Each process looks; of those that look at the same time one
moves the company's mark, in the transaction that queues the emails, so nobody is told twice.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from portal.background.mails import queue as mail_queue
from portal.background.mails.queue import Fact
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import Database
from portal.tracker.hiring.application_list import full_name, job_title, of_applicants, title_of
from portal.tracker.hiring.colleagues import DAY, Notify
from portal.tracker.hiring.tables import colleagues, hiring_settings
from portal.tracker.tables import applications, tenants

LISTED = 100
"""Applications that one email lists."""
_s = hiring_settings.c


def notify(db: Database, seal: Seal, clock: Clock) -> None:
    """Queue the emails that are due."""
    now = clock.now()
    here: sa.Select[Any] = sa.select(
        tenants.c.id, tenants.c.slug, tenants.c.last_turn, _s.notified_turn, _s.digest_turn, _s.digest_at
    )
    new = tenants.c.last_turn > _s.notified_turn
    daily = sa.and_(_s.digest_at <= now, tenants.c.last_turn > _s.digest_turn)
    with db.read() as connection:
        due = connection.execute(here.join(hiring_settings, _s.tenant_id == tenants.c.id).where(new | daily)).all()
    for one in due:
        if one.last_turn > one.notified_turn:
            _tell(db, seal, one, Notify.EACH, _s.notified_turn, now)
        if one.digest_at <= now and one.last_turn > one.digest_turn:
            _tell(db, seal, one, Notify.DAILY, _s.digest_turn, now)


def _tell(
    db: Database, seal: Seal, company: sa.Row[Any], which: Notify, mark: sa.Column[datetime], now: datetime
) -> None:
    """Move a mark of the company up to what is told of, and queue the emails about it."""
    a, c, since = applications.c, colleagues.c, getattr(company, mark.key)
    with db.read() as connection:
        query = of_applicants(connection, company.id, a.id, a.turn, job_title(connection))
        arrived = query.where(a.turn > since, a.turn <= company.last_turn, sa.not_(a.is_loaded))
        rows = connection.execute(arrived.order_by(a.turn).limit(LISTED)).all()
    until = rows[-1].turn if len(rows) == LISTED else company.last_turn
    moved: dict[str, datetime] = {mark.key: until}
    if which is Notify.DAILY and until == company.last_turn:
        moved["digest_at"] = now + DAY
    with db.write() as connection:
        here = (_s.tenant_id == company.id, mark == since)
        if connection.execute(hiring_settings.update().where(*here).values(**moved)).rowcount != 1:
            return  # another process tells of these
        if rows:
            facts = [[row.id, full_name(row), title_of(row)] for row in rows]
            email(connection, seal, company, c.notify == which.value, "new_applications", {"arrived": facts}, now)


def email(
    connection: sa.Connection,
    seal: Seal,
    company: sa.Row[Any],
    whom: sa.ColumnElement[bool],
    template: str,
    facts: Mapping[str, Fact],
    now: datetime,
) -> None:
    """Queue an email to those of a company's colleagues to whom a condition applies. company: with id and slug."""
    c = colleagues.c
    found = sa.select(c.email, c.locale).where(c.tenant_id == company.id, whom).order_by(c.email)
    for one in connection.execute(found):
        to = {"tenant": company.slug, "recipient": one.email, "locale": one.locale or "en"}
        mail_queue.send(connection, seal, template=template, facts=facts, now=now, **to)
