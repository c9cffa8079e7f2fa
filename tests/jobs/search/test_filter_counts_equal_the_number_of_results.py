"""Filter counts equal a simple count of the same postings, for many combinations of filters."""

import random
from dataclasses import asdict
from datetime import timedelta

import pytest

from portal.jobs.posting import FacetValue, Query, Results
from tests.jobs.conftest import Mirror
from tests.jobs.standin import iso, vacancy

PLACES = [("Berlin", "DE"), ("Hamburg", "DE"), ("Wien", "AT"), ("Lyon", "FR"), ("", "FR"), ("", "")]
KINDS = ["fullTime", "partTime", "temporary", "internship", None, "somethingNew"]
WAYS = ["remote", "hybrid", "onsite", None]
TITLES = ["Nurse", "Night Nurse", "Baker", "Bakery Assistant"]


def fill(mirrored: Mirror, chance: random.Random, many: int) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for number in range(many):
        city, country = chance.choice(PLACES)
        kind, way, title = chance.choice(KINDS), chance.choice(WAYS), chance.choice(TITLES)
        start = chance.choice([None, None, -86_400, 3_600])
        end = chance.choice([None, None, 1_800, 7_200, -600])
        now = mirrored.clock.now()
        record = vacancy(
            f"v{number}",
            title,
            location={"city": city, "country": country},
            employment_type=kind,
            location_type=way,
            start_at=iso(now, seconds=start) if start is not None else None,
            end_at=iso(now, seconds=end) if end is not None else None,
        )
        mirrored.service.put(record, at=now - timedelta(seconds=number))
        rows.append({"city": city, "country": country, "kind": kind if kind != "somethingNew" else None, "way": way,
                     "title": title, "start": start, "end": end})  # fmt: skip
    return rows


def expected(rows: list[dict[str, object]], query: Query, passed: float) -> dict[str, dict[str, int]]:
    asked = {
        "city": query.cities, "country": query.countries, "kind": query.employment_types, "way": query.location_types,
    }  # fmt: skip

    def is_open(row: dict[str, object]) -> bool:
        start, end = row["start"], row["end"]
        return (start is None or start <= passed) and (end is None or passed < end)  # type: ignore[operator]  numbers or None

    def fits(row: dict[str, object], facet: str) -> bool:
        return not asked[facet] or row[facet] in asked[facet]

    rows = [row for row in rows if is_open(row) and query.text.lower() in str(row["title"]).lower()]
    counts: dict[str, dict[str, int]] = {"total": {"": sum(all(fits(row, f) for f in asked) for row in rows)}}
    for facet in asked:
        counts[facet] = {}
        for row in rows:
            if row[facet] and all(fits(row, other) for other in asked if other != facet):
                counts[facet][str(row[facet])] = counts[facet].get(str(row[facet]), 0) + 1
    return counts


def counted(found: Results) -> dict[str, dict[str, int]]:
    def of(choices: tuple[FacetValue, ...]) -> dict[str, int]:
        return {choice.value: choice.count for choice in choices if choice.count}

    return {
        "total": {"": found.total},
        "city": of(found.cities),
        "country": of(found.countries),
        "kind": of(found.employment_types),
        "way": of(found.location_types),
    }


def test_every_count_equals_the_results_of_choosing_it(mirrored: Mirror):
    chance = random.Random(4)  # noqa: S311  repeatable, not secret
    rows = fill(mirrored, chance, 150)
    mirrored.sync()
    passed = 0.0
    for step in range(60):
        if step % 12 == 11:
            mirrored.clock.pass_time(1_000)
            passed += 1_000
        query = Query(
            text=chance.choice(["", "", "nurse", "bak"]),
            cities=tuple(chance.sample(["Berlin", "Wien", "Lyon"], chance.choice([0, 0, 1, 2]))),
            countries=tuple(chance.sample(["DE", "FR"], chance.choice([0, 0, 1]))),
            employment_types=tuple(chance.sample(["fullTime", "partTime"], chance.choice([0, 1, 2]))),
            location_types=tuple(chance.sample(["remote", "onsite"], chance.choice([0, 0, 1]))),
            size=200,
        )
        found = mirrored.find(**asdict(query))
        assert counted(found) == expected(rows, query, passed), query
        assert len(found.hits) == found.total


def test_counts_are_correct_after_jobs_change(mirrored: Mirror):
    mirrored.service.put(vacancy("a"))
    mirrored.service.put(vacancy("b"))
    mirrored.sync()
    mirrored.clock.pass_time(60)
    mirrored.service.put(vacancy("b", location={"city": "Paris", "country": "France"}))
    mirrored.service.put(vacancy("c", stage="Draft"))
    mirrored.sync()
    assert counted(mirrored.find())["city"] == {"Berlin": 1, "Paris": 1}
    mirrored.clock.pass_time(60)
    mirrored.service.put(vacancy("b", stage="Filled", location={"city": "Paris", "country": "France"}))
    mirrored.sync()
    assert counted(mirrored.find())["city"] == {"Berlin": 1}
    assert mirrored.find().total == 1


def test_a_chosen_value_remains_available_to_be_removed(mirrored: Mirror):
    mirrored.service.put(vacancy("a"))
    mirrored.service.put(vacancy("b", location={"city": "Paris", "country": "FR"}, end_at="2026-06-01T13:00:00Z"))
    mirrored.sync()
    mirrored.clock.pass_time(7_200)
    found = mirrored.find(cities=("Paris",))
    assert found.total == 0
    assert ("Paris", 0, True) in [(each.value, each.count, each.chosen) for each in found.cities]


@pytest.mark.parametrize("filters", [{"cities": ("Atlantis",)}, {"countries": ("ZZ",)}, {"employment_types": ("x",)}])
def test_an_unknown_value_is_ignored(mirrored: Mirror, filters: dict[str, object]):
    mirrored.service.put(vacancy("a"))
    mirrored.sync()
    assert mirrored.find(**filters).total == 1


def test_a_city_is_found_without_its_accents(mirrored: Mirror):
    mirrored.service.put(vacancy("a", location={"city": "Kraków", "country": "PL"}))
    mirrored.service.put(vacancy("b"))
    mirrored.sync()
    assert [hit.posting.id for hit in mirrored.find(cities=("krakow",)).hits] == ["a"]
