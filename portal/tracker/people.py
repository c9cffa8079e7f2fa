"""Companies, users and people at clients: known because they were loaded, or met inside a record."""

import json
from collections.abc import Iterable, Sequence

import sqlalchemy as sa

from portal.contract.model import Read
from portal.contract.shapes import Client, ClientTeamMember, UserBadge
from portal.tracker import put
from portal.tracker.shapes import Json, completed, written
from portal.tracker.tables import client_people, companies, users

_AT_ONCE = 10_000
"""Ids in one statement: a body names more than PostgreSQL takes values."""

_SHAPES: dict[sa.Table, tuple[type[Read], str]] = {
    companies: (Client, "id"),
    users: (UserBadge, "userId"),
    client_people: (ClientTeamMember, "id"),
}


def load(connection: sa.Connection, table: sa.Table, tenant_id: int, records: Iterable[Json]) -> None:
    """Keep them as they are, in place of what was known."""
    put.put(connection, table, _rows(table, tenant_id, records))


def meet(connection: sa.Connection, table: sa.Table, tenant_id: int, records: Iterable[Json]) -> None:
    """Keep those that are not known yet."""
    put.put_if_new(connection, table, _rows(table, tenant_id, records))


def found(connection: sa.Connection, table: sa.Table, tenant_id: int, ids: Sequence[str]) -> dict[str, Json]:
    """Those of the ids that are known, with their records."""
    wanted = list(set(ids))
    known: dict[str, Json] = {}
    for start in range(0, len(wanted), _AT_ONCE):
        some = table.c.id.in_(wanted[start : start + _AT_ONCE])
        rows = connection.execute(sa.select(table.c.id, table.c.record).where(table.c.tenant_id == tenant_id, some))
        known |= {row.id: json.loads(row.record) for row in rows}
    return known


def met_in_vacancy(record: Json) -> tuple[list[Json], list[Json], list[Json]]:
    """Companies, users and people at clients that a vacancy (§2.4) names."""
    client = _inside(record, "client", "client")
    team = _inside(record, "team", "team")
    client_team = _inside(record, "clientTeam", "clientTeam")
    return _only([client]), _only(team), _only(client_team)


def met_in_candidate(record: Json) -> list[Json]:
    """Users that a candidate (§2.5) names."""
    wrappers = ("lastInteractionWith", "nextInteractionWith", "mainContact")
    return _only([_inside(record, name, "user") for name in wrappers])


def met_in_application(record: Json) -> tuple[list[Json], list[Json], list[Json]]:
    """Companies, users and people at clients that an application (§2.6) names."""
    vacancy = record.get("vacancy")
    client = _inside(record, "client", "client")
    clients = _only([client, vacancy.get("client") if isinstance(vacancy, dict) else None])
    actors = [_inside(record, "owner", "owner"), _inside(record, "rejection", "createdBy")]
    actors += _only(_inside(record, "internalTeam", "internalTeam"))
    actors += [comment.get("createdBy") for comment in _only(record.get("comments"))]
    actors += [placement.get("placedByUserBadge") for placement in _only(record.get("placements"))]
    actors += [_inside(record, "candidate", "lastInteractionWith")]
    badges = [actor | {"userId": actor.get("id")} for actor in _only(actors)]
    for badge in badges:
        badge.pop("id", None)
    return clients, badges, _only(_inside(record, "clientTeam", "clientTeam"))


def actor(user: Json | None) -> Json | None:
    """The same person as an actor badge (§2.2)."""
    if user is None:
        return None
    return {"id": user.get("userId")} | {name: user.get(name) for name in ("name", "avatarUrl", "deactivatedAt")}


def _inside(record: Json, wrapper: str, name: str) -> object:
    value = record.get(wrapper)
    return value.get(name) if isinstance(value, dict) else None


def _only(entries: object) -> list[Json]:
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _rows(table: sa.Table, tenant_id: int, records: Iterable[Json]) -> list[dict[str, object]]:
    shape, key = _SHAPES[table]
    rows = {
        record[key]: {"tenant_id": tenant_id, "id": record[key], "record": written(completed(shape, record))}
        for record in records
        if isinstance(record.get(key), str)
    }
    return list(rows.values())
