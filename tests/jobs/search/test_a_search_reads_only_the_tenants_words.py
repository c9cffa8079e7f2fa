"""A search reads the words of its own company only, and only once."""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
import sqlalchemy as sa
from alembic.migration import MigrationContext
from alembic.operations import Operations

from portal.jobs.tables import vacancy_totals, vacancy_words
from portal.platform.database.db import Database
from tests.jobs.conftest import Mirror
from tests.jobs.standin import StandIn, vacancy

TITLES = ["Senior Nurse", "Nurse", "Senior Baker"]


def put(mirrored: Mirror, *titles: str) -> None:
    for number, title in enumerate(titles):
        mirrored.service.put(vacancy(f"v{number}", title, description="<p>Nurses bake for seniors.</p>"))
        mirrored.clock.pass_time(60)
    mirrored.sync()


@contextmanager
def looked_up(database: Database) -> Iterator[list[str]]:
    found: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if "MATCH" in statement or "@@" in statement:
            found.append(statement)

    sa.event.listen(database.engine, "before_cursor_execute", note)
    yield found
    sa.event.remove(database.engine, "before_cursor_execute", note)


def test_companies_with_similar_ids_find_only_their_own_jobs(mirrored: Mirror):
    longer = replace(mirrored, tenant=replace(mirrored.tenant, slug="acme-2"), service=StandIn(mirrored.clock))
    put(mirrored, *TITLES, "Welder")
    put(longer, "Nursery Teacher")
    assert sorted(mirrored.titles("nurs")) == sorted([*TITLES, "Welder"])
    assert longer.titles("nurs") == ["Nursery Teacher"]
    assert longer.titles("weld") == []


def test_one_statement_finds_counts_and_ranks(mirrored: Mirror):
    put(mirrored, *TITLES)
    with looked_up(mirrored.database) as statements:
        found = mirrored.find("senior nurse", employment_types=("fullTime",))
    assert len(statements) == 1
    assert (found.total, [hit.posting.title for hit in found.hits]) == (3, ["Senior Nurse", "Senior Baker", "Nurse"])
    assert [(each.value, each.count) for each in found.employment_types] == [("fullTime", 3)]


@pytest.mark.parametrize("postings", [0, 500, 501, 100_000])
def test_results_are_the_same_for_few_and_many_jobs(mirrored: Mirror, postings: int):
    """PostgreSQL scans few jobs, and uses an index for many."""
    put(mirrored, *TITLES)
    with mirrored.database.write() as connection:
        connection.execute(sa.update(vacancy_totals).where(vacancy_totals.c.facet == "total").values(n=postings))
    first = mirrored.find("senior nurs", size=2)
    assert [hit.posting.title for hit in first.hits] == ["Senior Nurse", "Senior Baker"]
    assert mirrored.titles("senior nurs", size=2, after=first.next) == ["Nurse"]
    assert mirrored.find("seniro").corrected == "senior"


def test_changes_by_another_release_are_searchable(mirrored: Mirror):
    """The other release writes only the words; the database updates the index."""
    put(mirrored, *TITLES)
    with mirrored.database.write() as connection:
        held = connection.execute(sa.select(vacancy_words)).all()
        connection.execute(sa.delete(vacancy_words))
    assert mirrored.titles("senior nurse") == []
    with mirrored.database.write() as connection:
        connection.execute(sa.insert(vacancy_words), [dict(row._mapping) for row in held])
    assert mirrored.titles("senior nurse") == ["Senior Nurse", "Senior Baker", "Nurse"]
    with mirrored.database.write() as connection:
        connection.execute(sa.update(vacancy_words).values(words="nothing", title="nothing"))
    assert mirrored.titles("senior nurse") == []


def test_a_database_of_a_former_release_is_searchable_after_the_upgrade(mirrored: Mirror):
    put(mirrored, *TITLES)
    if not mirrored.database.is_sqlite:
        return  # the index is the same there
    with mirrored.database.write() as connection:
        for what in ("put", "take", "change"):
            connection.execute(sa.text(f"DROP TRIGGER vacancy_index_{what}"))
        connection.execute(sa.text("DROP TABLE vacancy_index"))
        with Operations.context(MigrationContext.configure(connection)):
            importlib.import_module("portal.platform.database.migrations.versions.0004_search").upgrade()
    assert mirrored.titles("senior nurse") == ["Senior Nurse", "Senior Baker", "Nurse"]
    mirrored.service.put(vacancy("v9", "Senior Nurse by Night"))
    mirrored.clock.pass_time(60)
    mirrored.sync()
    assert mirrored.titles("night") == ["Senior Nurse by Night"]
