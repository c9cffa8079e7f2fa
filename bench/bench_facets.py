"""Lists of 100,000 jobs (or POSTINGS) that a filter or town narrows, of a company with filters of its own."""

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import portal.platform.database.migrations
from bench import facet_data
from bench.databases import Kind, databases
from bench.figures import Measured
from bench.pairs import compared
from portal.jobs.posting import Query
from portal.jobs.search import search
from portal.platform.database.db import Database

_ROUNDS = 15
_OWN = (("department", ("Sales",)),)


def run() -> Iterator[Measured]:
    """Ratios to the list that nothing narrows, of the same company."""
    with tempfile.TemporaryDirectory() as folder, databases(Path(folder), durable=False) as kinds:
        for kind in kinds:
            yield from _figures(kind)


def _figures(kind: Kind) -> Iterator[Measured]:
    database = Database(kind.new("facets"), migrations=Path(portal.platform.database.migrations.__path__[0]))
    database.upgrade()
    own = facet_data.tenant()
    facet_data.fill(database, own, 1)
    found = partial(search.find, database, own, now=facet_data.NOW)
    for what, query in (
        ("a country", Query(countries=("DE",))),
        ("a company's own filter", Query(attributes=_OWN)),
        ("near a town", Query(near="Leipzig")),
    ):
        detail, name = f", {facet_data.SIZE:,} jobs", f"{what} / all jobs, {kind.name}"
        yield compared(name, partial(found, query), partial(found, Query()), detail=detail, rounds=_ROUNDS)
    database.close()
