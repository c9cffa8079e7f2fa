"""Withdraws vacancies that are no longer listed, and applies a changed rule to everything stored."""

from collections.abc import Collection, Iterator

import sqlalchemy as sa

from portal.background.sync.lease import Lease
from portal.background.sync.state import Missing
from portal.jobs.mirror.writing import MirrorWriter
from portal.jobs.search.counts import is_open
from portal.jobs.tables import Publication, vacancies, vacancy_problems
from portal.platform.clock import Clock
from portal.platform.database.db import Database

_AT_ONCE = 500


def missing(db: Database, tenant: str, seen: Collection[str], clock: Clock) -> Missing:
    """Return stored vacancies not in `seen`, counting open jobs only: closed ones may vanish by the hundred."""
    rows: list[int] = []
    for chunk in _chunks(db, tenant):
        rows += [row.row for row in chunk if row.vacancy_id not in seen]
    hit = sum(_open(db, tenant, rows[i : i + _AT_ONCE], clock) for i in range(0, len(rows), _AT_ONCE))
    return Missing(rows, counted=hit, of=_open(db, tenant, None, clock), called="open jobs")


def withdraw(lease: Lease, writer: MirrorWriter, rows: Collection[int], clock: Clock) -> None:
    """Withdraw rows that the service no longer has, in batches."""
    every = list(rows)
    for start in range(0, len(every), _AT_ONCE):
        with lease.write() as connection:
            writer.withdraw(connection, every[start : start + _AT_ONCE], clock.now())


def forget_problems(db: Database, lease: Lease, seen: Collection[str]) -> None:
    """Delete problems of records that the service no longer lists."""
    mine = vacancy_problems.c.tenant == lease.tenant
    with db.read() as connection:
        held = connection.scalars(sa.select(vacancy_problems.c.vacancy_id).where(mine)).all()
    gone = [key for key in held if key not in seen]
    if gone:
        with lease.write() as connection:
            connection.execute(sa.delete(vacancy_problems).where(mine, vacancy_problems.c.vacancy_id.in_(gone)))


def reapply_publication_rules(db: Database, lease: Lease, writer: MirrorWriter, clock: Clock) -> None:
    """Apply a changed rule to everything stored, in batches."""
    for chunk in _chunks(db, lease.tenant):
        with lease.write() as connection:
            writer.reapply_publication_rules(connection, [row.row for row in chunk], clock.now())


def _chunks(db: Database, tenant: str) -> Iterator[list[sa.Row[int, str]]]:
    last = 0
    query = (
        sa.select(vacancies.c.row, vacancies.c.vacancy_id)
        .where(vacancies.c.tenant == tenant, vacancies.c.publication != Publication.GONE)
        .order_by(vacancies.c.row)
        .limit(_AT_ONCE)
    )
    while True:
        with db.read() as connection:
            chunk = list(connection.execute(query.where(vacancies.c.row > last)).all())
        if not chunk:
            return
        yield chunk
        last = chunk[-1].row


def _open(db: Database, tenant: str, rows: list[int] | None, clock: Clock) -> int:
    query = sa.select(sa.func.count()).where(
        vacancies.c.tenant == tenant, vacancies.c.publication == Publication.PUBLIC, is_open(clock.now())
    )
    if rows is not None:
        query = query.where(vacancies.c.row.in_(rows))
    with db.read() as connection:
        return connection.scalar(query) or 0
