"""Companies, users and clients' team members: known because they were loaded, or because a record contains them."""

import json
from collections.abc import Iterable, Sequence

import sqlalchemy as sa

from portal.contract.model import Read
from portal.contract.shapes import Client, ClientTeamMember, UserBadge
from portal.platform.database.db import Database
from portal.tracker import upsert
from portal.tracker.shapes import Json, completed, written
from portal.tracker.tables import client_people, companies, users

_AT_ONCE = 10_000
"""Ids in one statement: the applications of a vacancy can name more than PostgreSQL takes as parameters."""
_USERS_MOST = 1_000

_SHAPES: dict[sa.Table, tuple[type[Read], str]] = {
    companies: (Client, "id"),
    users: (UserBadge, "userId"),
    client_people: (ClientTeamMember, "id"),
}


Met = dict[sa.Table, list[Json]]


def load(connection: sa.Connection, table: sa.Table, tenant_id: int, records: Iterable[Json]) -> None:
    """Store the records, replacing those that are known."""
    upsert.put(connection, table, _rows(table, tenant_id, records))


def add_if_unknown(connection: sa.Connection, table: sa.Table, tenant_id: int, records: Iterable[Json]) -> None:
    """Store the records that are not known yet."""
    upsert.put_if_new(connection, table, _rows(table, tenant_id, records))


def found(connection: sa.Connection, table: sa.Table, tenant_id: int, ids: Sequence[str]) -> dict[str, Json]:
    """Return the records of those ids that are known, by id."""
    wanted = list(set(ids))
    known: dict[str, Json] = {}
    for start in range(0, len(wanted), _AT_ONCE):
        some = table.c.id.in_(wanted[start : start + _AT_ONCE])
        rows = connection.execute(sa.select(table.c.id, table.c.record).where(table.c.tenant_id == tenant_id, some))
        known |= {row.id: json.loads(row.record) for row in rows}
    return known


def users_named(database: Database, tenant_id: int) -> dict[str, str]:
    """Return the names of a tenant's users by id, in alphabetical order; at most _USERS_MOST."""
    query = sa.select(users.c.id, users.c.record).where(users.c.tenant_id == tenant_id).limit(_USERS_MOST)
    with database.read() as connection:
        known = {row.id: json.loads(row.record) for row in connection.execute(query)}
    named = {user_id: str(one.get("name") or one.get("email") or user_id) for user_id, one in known.items()}
    return dict(sorted(named.items(), key=lambda entry: entry[1].casefold()))


def key_of(table: sa.Table) -> str:
    """Return the name of the member that holds the id of a table's records."""
    return _SHAPES[table][1]


def _met_in_vacancy(record: Json) -> Met:
    return {
        companies: only([inside(record, "client", "client")]),
        users: only(inside(record, "team", "team")),
        client_people: only(inside(record, "clientTeam", "clientTeam")),
    }


def _met_in_candidate(record: Json) -> Met:
    wrappers = ("lastInteractionWith", "nextInteractionWith", "mainContact")
    return {users: only([inside(record, name, "user") for name in wrappers])}


def _met_in_application(record: Json) -> Met:
    vacancy = record.get("vacancy")
    client = inside(record, "client", "client")
    clients = only([client, vacancy.get("client") if isinstance(vacancy, dict) else None])
    actors = [inside(record, "owner", "owner"), inside(record, "rejection", "createdBy")]
    actors += only(inside(record, "internalTeam", "internalTeam"))
    actors += [comment.get("createdBy") for comment in only(record.get("comments"))]
    actors += [placement.get("placedByUserBadge") for placement in only(record.get("placements"))]
    actors += [inside(record, "candidate", "lastInteractionWith")]
    badges = [actor | {"userId": actor.get("id")} for actor in only(actors)]
    for badge in badges:
        badge.pop("id", None)
    team = only(inside(record, "clientTeam", "clientTeam"))
    return {companies: clients, users: badges, client_people: team}


MET_IN = {"vacancy": _met_in_vacancy, "candidate": _met_in_candidate, "application": _met_in_application}
"""By kind of record (§2.4, §2.5, §2.6), the function that returns the companies and people in it, by table."""


def actor(user: Json | None) -> Json | None:
    """Return the user as an actor badge (§2.2)."""
    if user is None:
        return None
    return {"id": user.get("userId")} | {name: user.get(name) for name in ("name", "avatarUrl", "deactivatedAt")}


def inside(record: Json, wrapper: str, name: str) -> object:
    """Return a member of an object in a record; None if either is missing."""
    value = record.get(wrapper)
    return value.get(name) if isinstance(value, dict) else None


def only(entries: object) -> list[Json]:
    """Return the objects in a list; none if it is no list."""
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _rows(table: sa.Table, tenant_id: int, records: Iterable[Json]) -> list[dict[str, object]]:
    shape, key = _SHAPES[table]
    rows = {
        record[key]: {"tenant_id": tenant_id, "id": record[key], "record": written(completed(shape, record))}
        for record in records
        if isinstance(record.get(key), str)
    }
    return list(rows.values())
