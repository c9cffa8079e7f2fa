"""Lists of 100,000 jobs (or POSTINGS) that a filter or town narrows, with filters of a company's own and without."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import portal.platform.database.migrations
from bench import facet_data
from bench.databases import Kind, databases
from bench.figures import Figure
from bench.pairs import paired
from portal.jobs.posting import Query
from portal.jobs.search import search
from portal.platform.database.db import Database

_ROUNDS = 15
_OWN = (("department", ("Sales",)),)


def run() -> Iterator[Figure]:
    """Ratios to the list that nothing narrows, of the same company."""
    with tempfile.TemporaryDirectory() as folder, databases(Path(folder), durable=False) as kinds:
        for kind in kinds:
            yield from _figures(kind)


def _figures(kind: Kind) -> Iterator[Figure]:
    database = Database(kind.new("facets"), migrations=Path(portal.platform.database.migrations.__path__[0]))
    database.upgrade()
    plain, own = facet_data.tenant(own=False), facet_data.tenant(own=True)
    facet_data.fill(database, plain, 1)
    facet_data.fill(database, own, 1 + facet_data.SIZE)
    asked = (
        ("a country", plain, Query(countries=("DE",))),
        ("a country, own filters", own, Query(countries=("DE",))),
        ("a department", own, Query(attributes=_OWN)),
        ("near a town", plain, Query(near="Leipzig")),
        ("near a town, own filters", own, Query(near="Leipzig")),
    )
    for what, whose, query in asked:

        def narrowed(whose=whose, query=query):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202  bound as it is now
            return search.find(database, whose, query, facet_data.NOW)

        def all_jobs(whose=whose):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202  bound as it is now
            return search.find(database, whose, Query(), facet_data.NOW)

        pair = paired(narrowed, all_jobs, rounds=_ROUNDS)
        yield Figure(
            f"{facet_data.SIZE:,} jobs, {what} / all, {kind.name}",
            pair.ratio,
            5,
            "at most",
            f"{pair.ours:.1f} ms / {pair.yardstick:.1f} ms, medians of {_ROUNDS}",
        )
    database.close()
