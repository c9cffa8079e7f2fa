"""[publish.facets] defines filters by attributes, and by the client if it is shown; a simple count checks them."""

import random
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from portal.jobs.posting import Posting, Query, Results
from portal.jobs.search.attributes import VALUE_LONGEST, VALUES_MOST, attribute_values
from portal.jobs.tables import vacancies, vacancy_totals
from tests.jobs.canaries import CANARY, full_of_canaries
from tests.jobs.conftest import Mirror
from tests.jobs.mirror.test_only_allowed_fields_are_stored import everything_in
from tests.jobs.standin import iso, vacancy

VALUES = ("Care", "Sales", "IT=Care", "Lead", "Initech", "Hooli")
FACETS = {"Department": "dep", "Level": "lev"}


@pytest.fixture
def acme(mirrored: Mirror) -> Mirror:
    mirrored.publish(facets=FACETS)
    return mirrored


def choices(found: Results, name: str) -> dict[str, int]:
    its = next(each for each in found.attributes if each.name == name)
    return {choice.value: choice.count for choice in its.choices if choice.count}


def of(posting: object) -> dict[str, tuple[str, ...]]:
    assert isinstance(posting, Posting)
    return {each.name: each.values for each in posting.attributes}


def test_jobs_have_the_values_from_the_service(acme: Mirror):
    acme.service.put(vacancy("a", "Nurse", attributes=[("dep", "Care"), ("lev", ["Senior", "Lead"]), ("other", "X")]))
    acme.service.put(vacancy("b", "Cook"))
    acme.sync()
    assert of(acme.posting("a")) == {"department": ("Care",), "level": ("Lead", "Senior")}
    assert of(acme.posting("b")) == {}
    assert choices(acme.find(), "level") == {"Lead": 1, "Senior": 1}
    assert acme.titles(attributes=(("level", ("lead",)),)) == ["Nurse"]


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("Sales", ("Sales",)),
        ("  Sales \n& more\x00", ("Sales & more",)),
        (["A", "B", "A"], ("A", "B")),
        (7, ("7",)),
        ("x" * VALUE_LONGEST, ("x" * VALUE_LONGEST,)),
        ("x" * (VALUE_LONGEST + 1), ()),
        ([f"v{n:02}" for n in range(VALUES_MOST)], tuple(f"v{n:02}" for n in range(VALUES_MOST))),
        ([f"v{n:02}" for n in range(VALUES_MOST + 1)], tuple(f"v{n:02}" for n in range(VALUES_MOST))),
        (True, ()),
        (1.5, ()),
        (None, ()),
        ("", ()),
        ("2026-06-01T00:00:00Z", ()),
        ("2026-06-01", ()),
        ({"name": "Sales"}, ()),
        ([["A"], {"b": "c"}, None, "D"], ("D",)),
        (10**4_000, ()),
    ],
    ids=repr,
)
def test_available_values_are_stored(value: Any, kept: tuple[str, ...]):
    assert attribute_values(value) == kept


def fill(acme: Mirror, chance: random.Random, many: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for number in range(many):
        city = chance.choice(["Berlin", "Wien", "Lyon"])
        row = {
            "city": city,
            "title": chance.choice(["Nurse", "Baker"]),
            "department": chance.sample(["Care", "Sales", "IT=Care"], chance.choice([0, 1, 1, 2])),
            "level": chance.sample(["Care", "Lead"], chance.choice([0, 1])),
            "client": [chance.choice(["Initech", "Hooli"])],
            "end": chance.choice([None, None, 1_800]),
        }
        now = acme.clock.now()
        record = vacancy(
            f"v{number}",
            str(row["title"]),
            location={"city": city, "country": {"Berlin": "DE", "Wien": "AT", "Lyon": "FR"}[city]},
            client=row["client"][0],
            end_at=iso(now, seconds=1_800) if row["end"] else None,
            attributes=[("dep", row["department"]), ("lev", row["level"])],
        )
        acme.service.put(record, at=now - timedelta(seconds=number))
        rows.append(row)
    return rows


def test_every_count_equals_the_results_of_choosing_it(acme: Mirror):
    acme.publish(show_client=True)
    chance = random.Random(7)  # noqa: S311  repeatable, not secret
    rows = fill(acme, chance, 80)
    acme.sync()
    for step in range(25):
        if step == 12:
            acme.clock.pass_time(2_000)
            rows = [row for row in rows if not row["end"]]
        asked: dict[str, list[str]] = {
            "department": chance.sample(["Care", "Sales", "IT=Care"], chance.choice([0, 0, 1, 2])),
            "level": chance.sample(["Care", "Lead"], chance.choice([0, 0, 1])),
            "client": chance.sample(["Initech", "Hooli"], chance.choice([0, 0, 1])),
            "city": chance.sample(["Berlin", "Wien"], chance.choice([0, 0, 1, 2])),
        }
        text = chance.choice(["", "", "nurse"])
        own = tuple((name, tuple(sorted(asked[name]))) for name in ("client", "department", "level") if asked[name])
        found = acme.find(text, attributes=own, cities=tuple(asked["city"]), size=200)
        its = [row for row in rows if text in str(row["title"]).lower()]

        def left(row: dict[str, Any], but: str = "", asked: dict[str, list[str]] = asked) -> bool:
            return all(
                name == but or not wanted or set(wanted) & set(row[name] if name != "city" else [row[name]])
                for name, wanted in asked.items()
            )

        assert found.total == len(found.hits) == sum(left(row) for row in its), asked
        for name in ("department", "level", "client"):
            counted = {value: sum(left(r, name) and value in r[name] for r in its) for value in VALUES}
            assert choices(found, name) == {value: n for value, n in counted.items() if n}, (name, asked)
        cities = {c: sum(left(r, "city") and r["city"] == c for r in its) for c in ("Berlin", "Wien", "Lyon")}
        assert {c.value: c.count for c in found.cities if c.count} == {c: n for c, n in cities.items() if n}


def test_values_are_searchable_words(acme: Mirror):
    acme.service.put(vacancy("a", "Cook", attributes=[("dep", "Geriatric nursing"), ("lev", ["Lead", "Expert"])]))
    acme.service.put(vacancy("b", "Cook", attributes=[("dep", "Sales"), ("other", "Geriatric")]))
    acme.sync()
    for text in ("geriatric", "Nursing", "nurse cook", "expert geriatric", "geriatrc "):
        assert [hit.posting.id for hit in acme.find(text).hits] == ["a"], text
    acme.clock.pass_time(60)
    acme.service.put(vacancy("a", "Cook", attributes=[("dep", "Logistics")]))
    acme.sync()
    assert [hit.posting.id for hit in acme.find("logistics").hits] == ["a"]
    assert acme.find("geriatric").total == 0


def test_changes_at_the_service_are_synced(acme: Mirror):
    acme.service.put(vacancy("a", "Nurse", attributes=[("dep", "Care")]))
    acme.sync()
    acme.clock.pass_time(60)
    acme.service.put(vacancy("a", "Nurse", attributes=[("dep", "Cure")]))
    acme.sync()
    assert choices(acme.find(), "department") == {"Cure": 1}
    acme.clock.pass_time(60)
    acme.service.put(vacancy("a", "Nurse", stage="Filled", attributes=[("dep", "Cure")]))
    acme.sync()
    assert choices(acme.find(), "department") == {}


def test_another_attribute_in_the_tenant_file_takes_effect(acme: Mirror):
    acme.service.put(vacancy("a", "Nurse", attributes=[("dep", "Care"), ("lev", "Lead"), ("area", "Ward 7")]))
    acme.sync()
    acme.publish(facets={"Department": "area"})
    assert [full for _, full in acme.wanted()] == [True]
    acme.sync()
    found = acme.find()
    assert [each.name for each in found.attributes] == ["department"]
    assert choices(found, "department") == {"Ward 7": 1}
    stored = everything_in(acme)
    assert "Ward 7" in stored
    assert not any(value in stored for value in ("Care", "Lead"))


def test_another_label_needs_no_new_sync(acme: Mirror):
    acme.service.put(vacancy("a", "Nurse", attributes=[("dep", "Care")]))
    acme.sync()
    acme.publish(facets={"Abteilung": "dep", "Level": "lev"})
    assert acme.wanted() == []
    assert choices(acme.find(), "abteilung") == {"Care": 1}


def test_no_other_attribute_is_stored(acme: Mirror):
    record = full_of_canaries()
    record["customAttributes"].append({"attributeDefinitionId": "dep", "value": "Care", "label": CANARY})
    acme.service.put(record)
    acme.sync()
    stored = everything_in(acme)
    assert "=Care" in stored
    assert CANARY not in stored


def test_the_attribute_of_an_unpublished_job_is_not_even_requested(acme: Mirror):
    acme.service.put(vacancy("a", "Nurse", stage="Draft", attributes=[("dep", "Care")]))
    acme.sync()
    with acme.database.read() as connection:
        assert connection.scalars(sa.select(vacancies.c.attributes)).all() == [""]
    assert not any(request.url.path.endswith("/a") for request in acme.service.requests)


def test_the_client_is_a_filter_only_where_it_is_shown(acme: Mirror):
    acme.publish(show_client=True)
    acme.service.put(vacancy("a", client="Initech"))
    acme.service.put(vacancy("b", client="Hooli"))
    acme.sync()
    assert choices(acme.find(), "client") == {"Hooli": 1, "Initech": 1}
    assert acme.find(attributes=(("client", ("Hooli",)),)).total == 1
    acme.publish(show_client=False)
    found = acme.find(attributes=(("client", ("Hooli",)),))
    assert (found.total, found.ignored) == (2, ("Hooli",))
    assert "client" not in [each.name for each in found.attributes]
    acme.sync()
    assert "Hooli" not in everything_in(acme)


def test_an_unknown_value_is_reported_and_ignored(acme: Mirror):
    acme.service.put(vacancy("a", attributes=[("dep", "Care")]))
    acme.sync()
    found = acme.find(attributes=(("department", ("Moon", "care")), ("nothing", ("x",))), cities=("Atlantis",))
    assert found.total == 1
    assert set(found.ignored) == {"Moon", "x", "Atlantis"}


@pytest.mark.parametrize(
    ("facets", "team"),
    [
        ({"Level": "lev", "Department": "dep"}, "Care"),
        ({"Level": "lev", "Équipe": "dep"}, "Care"),
        ({"Level": "lev", "Area": "dep"}, "Lead"),
        ({}, None),
    ],
)
def test_the_team_is_the_attribute_of_that_name_or_the_first(
    mirrored: Mirror, facets: dict[str, str], team: str | None
):
    mirrored.publish(facets=facets, show_client=True)
    mirrored.service.put(vacancy("a", attributes=[("dep", "Care"), ("lev", "Lead")]))
    mirrored.sync()
    found = mirrored.posting("a")
    assert isinstance(found, Posting)
    assert found.team == team
    ignored = mirrored.find(attributes=(("team", ("Care", "Lead")),)).ignored
    assert ignored == tuple(value for value in ("Care", "Lead") if value != team)


def test_two_labels_with_one_spelling_have_distinct_names(mirrored: Mirror):
    mirrored.publish(facets={"Client": "a", "Größe": "b", "Grosse": "c", "™": "d"}, show_client=True)
    names = [each.name for each in mirrored.find().attributes]
    mirrored.service.put(vacancy())
    mirrored.sync()
    names = [each.name for each in mirrored.find().attributes]
    assert len(set(names)) == 5
    assert names[:2] == ["client", "client-2"]


def test_a_full_sync_repairs_counts_of_a_former_release(acme: Mirror):
    acme.service.put(vacancy("a", attributes=[("dep", "Care")]))
    acme.sync()
    with acme.database.write() as connection:
        connection.execute(sa.delete(vacancy_totals).where(vacancy_totals.c.facet.not_in(["total", "country", "city"])))
    assert choices(acme.find(), "department") == {}
    acme.sync(full=True)
    assert choices(acme.find(), "department") == {"Care": 1}
    assert [choice.value for choice in acme.find().cities] == ["Berlin"]


def test_a_query_can_be_a_cache_key():
    assert hash(Query(attributes=(("team", ("x",)),))) == hash(Query(attributes=(("team", ("x",)),)))
