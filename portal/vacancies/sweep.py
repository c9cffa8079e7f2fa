"""What is stored and no longer listed, and everything that is stored under a changed rule."""

from collections.abc import Collection, Iterator

import sqlalchemy as sa

from portal.clock import Clock
from portal.db import Database
from portal.passes.deletions import Missing
from portal.passes.lease import Lease
from portal.vacancies.counts import is_open
from portal.vacancies.tables import Publication, vacancies, vacancy_problems
from portal.vacancies.writing import Writer

_AT_ONCE = 500


def missing(db: Database, tenant: str, seen: Collection[str], clock: Clock) -> Missing:
    """Vacancies that are not in `seen`. What matters of them are the open jobs: others may go by the hundred."""
    rows: list[int] = []
    for chunk in _chunks(db, tenant):
        rows += [row.row for row in chunk if row.vacancy_id not in seen]
    hit = sum(_open(db, tenant, rows[i : i + _AT_ONCE], clock) for i in range(0, len(rows), _AT_ONCE))
    return Missing(rows, counted=hit, of=_open(db, tenant, None, clock), called="open jobs")


def withdraw(lease: Lease, writer: Writer, rows: Collection[int], clock: Clock) -> None:
    """The service no longer has these."""
    every = list(rows)
    for start in range(0, len(every), _AT_ONCE):
        with lease.write() as connection:
            writer.withdraw(connection, every[start : start + _AT_ONCE], clock.now())


def forget_problems(db: Database, lease: Lease, seen: Collection[str]) -> None:
    """Records that were set aside and are no longer there at all."""
    mine = vacancy_problems.c.tenant == lease.tenant
    with db.read() as connection:
        held = connection.scalars(sa.select(vacancy_problems.c.vacancy_id).where(mine)).all()
    gone = [key for key in held if key not in seen]
    if gone:
        with lease.write() as connection:
            connection.execute(sa.delete(vacancy_problems).where(mine, vacancy_problems.c.vacancy_id.in_(gone)))


def judge_anew(db: Database, lease: Lease, writer: Writer, clock: Clock) -> None:
    """Apply a changed rule to everything that is stored."""
    for chunk in _chunks(db, lease.tenant):
        with lease.write() as connection:
            writer.judge_anew(connection, [row.row for row in chunk], clock.now())


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
