"""Administration that the interface has no operation for: tenants, companies, keys, and edits of records.

Every function takes the tenant's slug and raises SettingsError if there is no such tenant.
"""

import json
import secrets
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from portal.contract.bounds import SLUG
from portal.platform.clock import Clock
from portal.platform.database.db import Database, Instant
from portal.platform.database.prepared import together
from portal.platform.errors import SettingsError
from portal.tracker import candidates, keys, people, revisions, stages, vacancies
from portal.tracker.revisions import Revision
from portal.tracker.shapes import Json, written
from portal.tracker.tables import addresses, applications, companies, tallies, tenants
from portal.tracker.tables import candidates as candidates_table
from portal.tracker.tables import keys as keys_table
from portal.tracker.tables import vacancies as vacancies_table

_RESERVED = {"vacancies", "candidates", "applications", "pipeline", "healthz", "readyz", "metrics"}


@dataclass(frozen=True, slots=True)
class KeyFacts:
    """A key in a list. The key itself is not stored anywhere."""

    id: str
    created_at: datetime
    revoked_at: datetime | None


def add_tenant(database: Database, clock: Clock, slug: str, name: str) -> None:
    """Add a tenant with the default stages; SettingsError if the slug is taken or invalid."""
    if not ensure_tenant(database, clock, slug, name):
        raise SettingsError(f"there is a tenant {slug} already")


def ensure_tenant(database: Database, clock: Clock, slug: str, name: str) -> bool:
    """Add a tenant unless it exists; returns whether it was added. SettingsError if slug or name is invalid."""
    if not SLUG.fullmatch(slug) or slug in _RESERVED:
        raise SettingsError(
            "a slug is lower-case letters, digits and hyphens, 50 at most, and no word of the interface"
        )
    if not name.strip() or "\x00" in name:
        raise SettingsError("a tenant needs a name")
    with database.write() as connection:
        if connection.execute(sa.select(tenants.c.id).where(tenants.c.slug == slug)).first() is not None:
            return False
        facts = {"slug": slug, "name": name, "cursor_secret": secrets.token_hex(32), "board": "{}", "first_stage": "{}"}
        result = connection.execute(sa.insert(tenants).values(last_turn=clock.now(), **facts).returning(tenants.c.id))
        stages.start(connection, result.scalar_one())
    return True


def add_company(database: Database, clock: Clock, slug: str, name: str) -> str:
    """Add a company that vacancies can belong to (§4.4) and return its id."""
    company_id = secrets.token_hex(16)
    with database.write() as connection:
        turn = _turn(connection, clock, slug)
        people.load(connection, companies, turn.tenant_id, [{"id": company_id, "name": name}])
    return company_id


def create_key(database: Database, clock: Clock, slug: str) -> str:
    """Create and return an API key, `trk_{key id}_{secret}`, which cannot be shown again."""
    with database.write() as connection:
        return keys.create(connection, _turn(connection, clock, slug).tenant_id, clock.now())


def revoke_key(database: Database, clock: Clock, slug: str, key_id: str) -> None:
    """Revoke a key, effective immediately; SettingsError if the tenant has no such key."""
    with database.write() as connection:
        turn = _turn(connection, clock, slug)
        result = connection.execute(
            sa.update(keys_table)
            .where(keys_table.c.tenant_id == turn.tenant_id, keys_table.c.id == key_id)
            .values(revoked_at=sa.func.coalesce(keys_table.c.revoked_at, sa.literal(clock.now(), Instant())))
        )
        if result.rowcount == 0:
            raise SettingsError(f"tenant {slug} has no such key: `portal tracker key list {slug}` shows the ids")


def list_keys(database: Database, slug: str) -> list[KeyFacts]:
    """Return every key that was created, including revoked ones, oldest first."""
    with database.read() as connection:
        tenant_id = tenant_of(connection, slug)
        columns = (keys_table.c.id, keys_table.c.created_at, keys_table.c.revoked_at)
        rows = connection.execute(
            sa.select(*columns).where(keys_table.c.tenant_id == tenant_id).order_by(keys_table.c.created_at)
        )
        return [KeyFacts(row.id, row.created_at, row.revoked_at) for row in rows]


def update_vacancy(database: Database, clock: Clock, slug: str, vacancy_id: str, **changes: object) -> bool:
    """Edit a vacancy; False if there is none.

    changes: name, description, startAt, endAt, salaryRange, location, employmentType, locationType as in §4.4; status,
    which moves the vacancy to the stage of that status; or stage, an object as in §2.3.
    """
    with database.write() as connection:
        return vacancies.edit(connection, _turn(connection, clock, slug), vacancy_id, changes)


def delete_vacancy(database: Database, clock: Clock, slug: str, vacancy_id: str) -> bool:
    """Delete a vacancy with its applications; False if there is none."""
    with database.write() as connection:
        tenant_id = _turn(connection, clock, slug).tenant_id
        _delete(connection, applications, tenant_id, vacancy_id=vacancy_id)
        _delete(connection, tallies, tenant_id, id=vacancy_id)
        return _delete(connection, vacancies_table, tenant_id, id=vacancy_id)


def update_candidate(database: Database, clock: Clock, slug: str, candidate_id: str, **changes: Json) -> bool:
    """Edit a candidate; False if there is none. changes: view wrappers of §2.5, such as name={"lastName": "Ito"}."""
    with database.write() as connection:
        turn = _turn(connection, clock, slug)
        known = candidates.get(connection, turn.tenant_id, candidate_id)
        if known is None:
            return False
        for wrapper, inside in changes.items():
            known.record[wrapper] = (known.record[wrapper] or {}) | inside
        together(connection, [candidates.kept(turn, known)])
        candidates.index(connection, turn, known)
        return True


def delete_candidate(database: Database, clock: Clock, slug: str, candidate_id: str) -> bool:
    """Delete a candidate with their applications; False if there is none."""
    with database.write() as connection:
        turn = _turn(connection, clock, slug)
        _forget_applications(connection, turn, candidate_id)
        _delete(connection, addresses, turn.tenant_id, candidate_id=candidate_id)
        return _delete(connection, candidates_table, turn.tenant_id, id=candidate_id)


def tenant_of(connection: sa.Connection, slug: str) -> int:
    """Return the tenant's id without locking the tenant."""
    found: int | None = connection.execute(sa.select(tenants.c.id).where(tenants.c.slug == slug)).scalar()
    if found is None:
        raise _unknown_tenant(slug)
    return found


def _unknown_tenant(slug: str) -> SettingsError:
    return SettingsError(f"there is no tenant {slug!r}: add it with `portal tracker tenant add SLUG NAME`")


def _delete(connection: sa.Connection, table: sa.Table, tenant_id: int, **which: str) -> bool:
    """Delete a tenant's rows with these values; returns whether there were any."""
    return connection.execute(sa.delete(table).filter_by(tenant_id=tenant_id, **which)).rowcount > 0


def _forget_applications(connection: sa.Connection, turn: Revision, candidate_id: str) -> None:
    where = sa.and_(applications.c.tenant_id == turn.tenant_id, applications.c.candidate_id == candidate_id)
    columns = (applications.c.vacancy_id, applications.c.stage_id, applications.c.is_loaded)
    gone = connection.execute(sa.select(*columns).where(where)).all()
    connection.execute(sa.delete(applications).where(where))
    for row in gone:
        if row.is_loaded and row.vacancy_id is not None:
            _lower_total(connection, turn.tenant_id, row.vacancy_id, row.stage_id)
    vacancies.recount(connection, turn.tenant_id, {row.vacancy_id for row in gone if row.vacancy_id is not None})


def _lower_total(connection: sa.Connection, tenant_id: int, vacancy_id: str, stage_id: str | None) -> None:
    """Decrease the loaded stage total of a vacancy, which includes a loaded application that was deleted."""
    where = sa.and_(vacancies_table.c.tenant_id == tenant_id, vacancies_table.c.id == vacancy_id)
    text = connection.execute(sa.select(vacancies_table.c.totals).where(where)).scalar()
    if text is not None:
        totals = json.loads(text)
        for entry in totals["totals"]:
            if entry.get("id") == stage_id and (entry.get("total") or 0) > 0:
                entry["total"] -= 1
        connection.execute(sa.update(vacancies_table).where(where).values(totals=written(totals)))


def _turn(connection: sa.Connection, clock: Clock, slug: str) -> Revision:
    turn = revisions.take(connection, clock, slug=slug)
    if turn is None:
        raise _unknown_tenant(slug)
    return turn
