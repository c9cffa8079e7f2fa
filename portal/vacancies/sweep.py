"""After a complete full pass: withdrawing what the service no longer has, unless the service looks broken."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import sqlalchemy as sa

from portal.clock import Clock
from portal.db import Database
from portal.tenants.model import Tenant
from portal.vacancies.counts import is_open
from portal.vacancies.keeping import Keeper
from portal.vacancies.tables import Standing, vacancies, vacancy_problems

_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the sweep did, or why it did nothing."""

    withdrawn: int
    alarm: str | None = None


def sweep(db: Database, keeper: Keeper, tenant: Tenant, seen: Collection[str], clock: Clock, *, force: bool) -> Outcome:
    """Withdraw every vacancy that is not in `seen`."""
    missing: list[int] = []
    for chunk in _chunks(db, tenant.slug):
        missing += [row.row for row in chunk if row.vacancy_id not in seen]
    total = _open(db, tenant.slug, None, clock)
    hit = sum(_open(db, tenant.slug, missing[i : i + _AT_ONCE], clock) for i in range(0, len(missing), _AT_ONCE))
    if is_too_much(hit, total) and not force:
        return Outcome(
            0,
            f"the service no longer lists {hit} of {total} open jobs: nothing was withdrawn;"
            f" if that is meant, run `portal sync {tenant.slug} --full`",
        )
    for start in range(0, len(missing), _AT_ONCE):
        with db.write() as connection:
            keeper.withdraw(connection, missing[start : start + _AT_ONCE], clock.now())
    _forget_problems(db, tenant.slug, seen)
    return Outcome(len(missing))


def is_too_much(missing: int, total: int) -> bool:
    """Whether so many of a tenant's open jobs vanish at once only by a fault: all of them, or more than a fifth.

    One alone is believed while others remain: a company with three jobs fills one without an operator's help.
    """
    return missing > 0 and (missing == total or missing > max(1, total // 5))


def judge_anew(db: Database, keeper: Keeper, tenant: Tenant, clock: Clock) -> None:
    """Apply a changed rule to everything that is stored."""
    for chunk in _chunks(db, tenant.slug):
        with db.write() as connection:
            keeper.judge_anew(connection, [row.row for row in chunk], clock.now())


def _chunks(db: Database, tenant: str) -> Iterator[list[sa.Row[int, str]]]:
    last = 0
    query = (
        sa.select(vacancies.c.row, vacancies.c.vacancy_id)
        .where(vacancies.c.tenant == tenant, vacancies.c.standing != Standing.GONE)
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
        vacancies.c.tenant == tenant, vacancies.c.standing == Standing.PUBLIC, is_open(clock.now())
    )
    if rows is not None:
        query = query.where(vacancies.c.row.in_(rows))
    with db.read() as connection:
        return connection.scalar(query) or 0


def _forget_problems(db: Database, tenant: str, seen: Collection[str]) -> None:
    """Records that were set aside and are no longer there at all."""
    mine = vacancy_problems.c.tenant == tenant
    with db.read() as connection:
        held = connection.scalars(sa.select(vacancy_problems.c.vacancy_id).where(mine)).all()
    gone = [key for key in held if key not in seen]
    if gone:
        with db.write() as connection:
            connection.execute(sa.delete(vacancy_problems).where(mine, vacancy_problems.c.vacancy_id.in_(gone)))
