"""Alternatives to a search without results: the nearest searches that find something."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from flask_babel import ngettext

from portal.contract.bodies import LocationType
from portal.jobs.posting import Query

_FAR_KM = 100


@dataclass(frozen=True, slots=True)
class Alternative:
    """An alternative search: its link text, with the number of its jobs, and its query."""

    said: str
    query: Query


def ways_out(query: Query, count: Callable[[Query], int]) -> tuple[Alternative, ...]:
    """Return alternatives that find something, nearest first, all jobs last.

    query: what is in effect (words/query.py). count: returns the number of jobs of a query.
    """
    first = replace(query, after=None, sort=None)
    # Words that no job has find nothing in any search, and looking for corrections of them is most of the work.
    has_words = bool(first.text) and count(Query(text=first.text)) > 0
    found: list[Alternative] = []
    for other, say in _nearer(first):
        if other == first or (other.text and not has_words) or any(other == way.query for way in found):
            continue
        if (total := count(other)) > 0:
            found.append(Alternative(say(total), other))
    return tuple(found)


def _nearer(query: Query) -> Iterator[tuple[Query, Callable[[int], str]]]:
    town = query.near or (query.cities[0] if query.cities else None)
    everywhere = replace(query, near=None, within_km=None, cities=())
    if town:
        yield replace(everywhere, near=town, within_km=_FAR_KM), partial(_within, town)
        yield everywhere, lambda n: ngettext("%(num)s job in all locations", "%(num)s jobs in all locations", n)
    remote = replace(everywhere, location_types=(LocationType.REMOTE.value,))
    yield remote, lambda n: ngettext("%(num)s remote job", "%(num)s remote jobs", n)
    plain = replace(query, employment_types=(), location_types=(), countries=(), attributes=())
    yield plain, lambda n: ngettext("%(num)s job with fewer filters", "%(num)s jobs with fewer filters", n)
    if query.text:
        yield replace(query, text=""), partial(_without, query.text)
    yield Query(), lambda n: ngettext("See %(num)s open job", "See all %(num)s open jobs", n)


def _within(town: str, n: int) -> str:
    said = ngettext(
        "%(num)s job within %(km)s km of %(place)s",
        "%(num)s jobs within %(km)s km of %(place)s",
        n,
        km=_FAR_KM,
        place=town,
    )
    return str(said)


def _without(words: str, n: int) -> str:
    said = ngettext(
        "%(num)s job if you remove “%(words)s”",
        "%(num)s jobs if you remove “%(words)s”",
        n,
        words=words,
    )
    return str(said)
