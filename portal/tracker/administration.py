"""Administration that the interface has no operation for: tenants, companies and keys.

Every function takes the tenant's slug and raises SettingsError if there is no such tenant.
"""

import secrets
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from portal.contract.bounds import SLUG
from portal.platform.clock import Clock
from portal.platform.database.db import Database, Instant
from portal.platform.errors import SettingsError
from portal.tracker import keys, people, revisions, stages
from portal.tracker.hiring import colleagues
from portal.tracker.revisions import Revision
from portal.tracker.tables import companies, tenants
from portal.tracker.tables import keys as keys_table

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


def tenant_of(connection: sa.Connection, slug: str) -> int:
    """Return the tenant's id without locking the tenant."""
    found: int | None = connection.execute(sa.select(tenants.c.id).where(tenants.c.slug == slug)).scalar()
    if found is None:
        raise _unknown_tenant(slug)
    return found


def hiring_tenant(database: Database, slug: str) -> colleagues.HiringTenant:
    """Return the tenant as the hiring pages know it."""
    found = colleagues.tenant(database, slug)
    if found is None:
        raise _unknown_tenant(slug)
    return found


def _unknown_tenant(slug: str) -> SettingsError:
    return SettingsError(f"there is no tenant {slug!r}: add it with `portal tracker tenant add SLUG NAME`")


def _turn(connection: sa.Connection, clock: Clock, slug: str) -> Revision:
    turn = revisions.take(connection, clock, slug=slug)
    if turn is None:
        raise _unknown_tenant(slug)
    return turn
