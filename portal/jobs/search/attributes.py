"""Filters that a tenant defines: custom attributes that its file names, and the client if it is shown.

No other custom attributes are stored. Values are stored in one text with one line for each (`\\na:…=Sales\\n`), so
that postings with the same values are counted together, and every database can find a value exactly.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

import sqlalchemy as sa

from portal.contract.shapes import CustomAttribute
from portal.jobs.mirror.ingest import single_line
from portal.jobs.search.folding import folded
from portal.tenants.model import PublishSettings

CLIENT = "client"
VALUES_MOST = 10
"""Values that are stored of one attribute."""
VALUE_LONGEST = 100
"""Characters. Longer values are prose, which is useless as a choice in a list."""
_DATE = re.compile(r"\d{4}-\d\d-\d\d(T|$)")


@dataclass(frozen=True, slots=True)
class TenantFilter:
    """One filter of a tenant. name: as in URLs. label: as in the tenant file, None for the client.

    key: as in the database, at most 20 characters.
    """

    name: str
    label: str | None
    key: str


def key_of(definition_id: str) -> str:
    """Return the key of an attributeDefinitionId, which may itself be longer than a key."""
    return f"a:{blake2b(definition_id.encode('utf-8', 'replace'), digest_size=8).hexdigest()}"


@lru_cache(maxsize=1_000)
def tenant_filters(publish: PublishSettings) -> tuple[TenantFilter, ...]:
    """Return a tenant's filters in the order of its file, with distinct names."""
    found = [TenantFilter(CLIENT, None, CLIENT)] if publish.show_client else []
    names = {CLIENT}
    for label, definition_id in publish.facets.items():
        plain = re.sub(r"[^a-z0-9]+", "-", folded(label)).strip("-")[:40].strip("-") or "attribute"
        name = next(each for n in range(1, 100) if (each := plain if n == 1 else f"{plain}-{n}") not in names)
        names.add(name)
        found.append(TenantFilter(name, label, key_of(definition_id)))
    return tuple(found)


_TEAMS = {"department", "team", "abteilung", "bereich", "departement", "service", "equipe", "departamento", "equipo",
          "reparto", "dipartimento", "afdeling", "dzial", "division"}  # fmt: skip


def is_team(name: str) -> bool:
    """Return whether a filter is called a department or team in one of the site's languages."""
    return name in _TEAMS


@lru_cache(maxsize=1_000)
def team(publish: PublishSettings) -> TenantFilter | None:
    """Return the filter that other systems would call department: by its name, else the first attribute."""
    own = [each for each in tenant_filters(publish) if each.key != CLIENT]
    return next((each for each in own if is_team(each.name)), own[0] if own else None)


def filter_values(publish: PublishSettings, attributes: Iterable[CustomAttribute]) -> dict[str, tuple[str, ...]]:
    """Return the values of the attributes that the tenant offers as filters: key → values."""
    wanted = {definition_id: key_of(definition_id) for definition_id in publish.facets.values()}
    found: dict[str, tuple[str, ...]] = {}
    for each in attributes:
        key = wanted.get(each.attribute_definition_id or "")
        if key and (values := attribute_values(each.value)):
            found[key] = values
    return found


def attribute_values(value: object) -> tuple[str, ...]:
    """Return the values that a visitor can choose from: a text, a whole number, or several of them in a list.

    Dates, fractional numbers, booleans, prose and nested values are left out.
    """
    found: dict[str, None] = {}
    for each in value[:1_000] if isinstance(value, list) else [value]:
        if isinstance(each, bool) or not isinstance(each, str | int) or len(text := str(each)) > 10 * VALUE_LONGEST:
            continue
        one = single_line(text, VALUE_LONGEST + 1)
        if one and len(one) <= VALUE_LONGEST and not _DATE.match(one):
            found[one] = None
    return tuple(found)[:VALUES_MOST]


def as_stored(values: Mapping[str, Iterable[str]]) -> str:
    """Return the values as they are stored; equal values give equal text."""
    lines = sorted(f"{key}={value}" for key, its in values.items() for value in its)
    return "\n" + "\n".join(lines) + "\n" if lines else ""


@lru_cache(maxsize=20_000)
def read(text: str) -> tuple[tuple[str, str], ...]:
    """Return the (key, value) pairs in a stored text."""
    pairs = (each.partition("=") for each in text.split("\n") if each)
    return tuple((key, value) for key, _, value in pairs)


def values_in(text: str, key: str) -> tuple[str, ...]:
    """Return the values of one attribute in a stored text."""
    return tuple(value for each, value in read(text) if each == key)


def has_any(column: sa.ColumnElement[str], key: str, values: Iterable[str], *, sqlite: bool) -> sa.ColumnElement[bool]:
    """Return the SQL condition that a stored text has one of the values."""
    position = sa.func.instr if sqlite else sa.func.strpos
    return sa.or_(sa.false(), *(position(column, f"\n{key}={value}\n") > 0 for value in values))
