"""A mirror of 100,000 jobs with departments and levels, written as it is stored: to read it in takes too long."""

import os
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

import sqlalchemy as sa

from bench.databases import settle
from bench.mirror_data import START
from portal.jobs.mirror.ingest import stages_hash
from portal.jobs.places.gazetteer import town, unit_vector
from portal.jobs.search import counts
from portal.jobs.search.attributes import as_stored, key_of
from portal.jobs.tables import ALWAYS, NEVER, Publication, mirrors, vacancies, vacancy_texts
from portal.platform.database.db import Database
from portal.tenants.model import PublishSettings, Tenant, TrackerLink

SIZE = int(os.environ.get("POSTINGS", "100000"))
NOW = START + timedelta(days=200)
_AT_ONCE = 5_000
_PLACES = [
    ("Berlin", "DE"), ("Hamburg", "DE"), ("München", "DE"), ("Köln", "DE"), ("Leipzig", "DE"), ("Wien", "AT"),
    ("Graz", "AT"), ("Zürich", "CH"), ("Paris", "FR"), ("Lyon", "FR"), ("Lille", "FR"), ("London", "GB"),
    ("Leeds", "GB"), ("York", "GB"), ("Dublin", "IE"), ("Madrid", "ES"), ("Sevilla", "ES"), ("Rotterdam", "NL"),
    ("Utrecht", "NL"), ("Kraków", "PL"), ("Poznań", "PL"), ("Boston", "US"), ("Madison", "US"), ("Duluth", "US"),
]  # fmt: skip
_DEPARTMENTS = ("Care", "Sales", "Logistics", "Engineering", "Finance", "People", "Legal", "Marketing")
_LEVELS = ("Junior", "Senior", "Lead")


def tenant() -> Tenant:
    """It has filters of its own."""
    facets = {"Department": "dep", "Level": "lev"}
    return Tenant(
        slug="acme",
        name="Acme",
        tracker=TrackerLink("http://127.0.0.1", "acme", "k" * 20),
        publish=PublishSettings(stages=frozenset({"Open"}), facets=facets),
    )


def fill(database: Database, whose: Tenant, first: int) -> None:
    """Write the jobs of a tenant. first: the number of the first row."""
    with database.write() as connection:
        connection.execute(
            sa.insert(mirrors),
            [{"tenant": whose.slug, "version": 1, "judged_by": stages_hash(whose.publish), "counted_at": NOW}],
        )
    for start in range(first, first + SIZE, _AT_ONCE):
        rows = list(range(start, start + _AT_ONCE))
        with database.write() as connection:
            connection.execute(sa.insert(vacancies), list(_rows(whose, rows)))
            connection.execute(sa.insert(vacancy_texts), [_text(row) for row in rows])
            made = Counter[counts.FilterCombination]()
            for at in range(0, _AT_ONCE, 500):
                made += counts.contributions(connection, rows[at : at + 500], NOW)
            counts.replace_contribution(connection, whose.slug, Counter(), made)
    settle(database)


def _rows(whose: Tenant, rows: list[int]) -> Iterator[dict[str, object]]:
    for row in rows:
        city, country = _PLACES[row * 7 % len(_PLACES)]
        spot = town(city, country)
        assert spot is not None
        attributes = {key_of("dep"): [_DEPARTMENTS[row * 11 % 8]], key_of("lev"): [_LEVELS[row // 8 % 3]]}
        yield {
            "row": row,
            "tenant": whose.slug,
            "vacancy_id": f"v{row}",
            "posting_id": f"v{row}",
            "publication": Publication.PUBLIC,
            "was_open": False,
            "stage": "Open",
            "country": country,
            "city": city,
            "employment_type": ("fullTime", "partTime", "temporary", "internship")[row * 3 // 5 % 4],
            "location_type": ("onsite", "hybrid", "onsite", "onsite", "remote")[row // 7 % 5],
            "opens_at": ALWAYS,
            "closes_at": NEVER,
            "dated_at": START + timedelta(minutes=row % 200_000),
            **dict(zip("xyz", unit_vector(spot.latitude, spot.longitude), strict=True)),
            "attributes": as_stored(attributes),
            "fingerprint": "",
            "modified_at": START,
        }


def _text(row: int) -> dict[str, object]:
    about = "We look for you. " * 40
    return {"row": row, "title": f"Nurse no{row}", "description": f"<p>{about}</p>", "plain": about, "language": "en"}
