"""The demo contains every kind of job that a careers site has to handle."""

import json
import re
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from portal.contract.bodies import EmploymentType, LocationType
from portal.contract.shapes import Location
from portal.contract.vacancies import VacancyDetail
from portal.demo.vacancies import records

NOW = datetime(2031, 5, 6, 7, 8, tzinfo=UTC)
COMMON_WORDS = {
    "en": {"the", "and", "you", "with", "of", "for"},
    "de": {"und", "der", "die", "mit", "für", "wir"},
    "fr": {"et", "les", "des", "vous", "le", "la"},
    "ar": {"في", "من", "أو", "عن", "لا", "ما"},
}


def vacancies(slug: str) -> list[VacancyDetail]:
    told = map(json.loads, records(slug, NOW))
    return [VacancyDetail.model_validate(each["record"]) for each in told if each["kind"] == "vacancy"]


EVERY = [*vacancies("acme"), *vacancies("globex")]


def description(vacancy: VacancyDetail) -> str:
    assert vacancy.description
    assert vacancy.description.description
    return vacancy.description.description


def location(vacancy: VacancyDetail) -> Location | None:
    return vacancy.location.location if vacancy.location else None


def language(vacancy: VacancyDetail) -> str:
    words = Counter(re.findall(r"\w+", re.sub(r"<[^>]*>", " ", description(vacancy)).lower()))
    return max(COMMON_WORDS, key=lambda each: sum(words[word] for word in COMMON_WORDS[each]))


def test_there_are_about_sixty_jobs() -> None:
    assert len(vacancies("acme")) == 35
    assert len(vacancies("globex")) == 29


@pytest.mark.parametrize("slug", ["acme", "globex"])
def test_all_employment_and_location_types_occur_at_each_company(slug: str) -> None:
    found = vacancies(slug)
    assert {v.employment_type and v.employment_type.employment_type for v in found} == {*EmploymentType, None}
    assert {v.location_type and v.location_type.location_type for v in found} >= set(LocationType)


def test_some_jobs_have_neither_job_type_nor_workplace_type() -> None:
    said = [
        (v.employment_type.employment_type, v.location_type.location_type)
        for v in EVERY
        if v.employment_type and v.location_type
    ]
    assert said.count((None, None)) == 2


def test_salaries_have_five_currencies_and_some_are_missing() -> None:
    salaries = [v.salary_range.salary_range if v.salary_range else None for v in EVERY]
    assert {salary.currency for salary in salaries if salary} == {"EUR", "GBP", "USD", "CHF", "PLN"}
    assert all(salary.min and salary.max and salary.min <= salary.max for salary in salaries if salary)
    assert salaries.count(None) >= 5


def test_some_jobs_have_not_started_some_have_ended_and_some_end_within_a_week() -> None:
    starts = [v.start_at.start_at for v in EVERY if v.start_at and v.start_at.start_at]
    ends = [v.end_at.end_at for v in EVERY if v.end_at and v.end_at.end_at]
    assert sum(start > NOW for start in starts) >= 3
    assert any(start < NOW for start in starts)
    assert sum(end < NOW for end in ends) >= 2
    assert sum(NOW < end < NOW + timedelta(days=7) for end in ends) >= 4
    assert sum(end > NOW + timedelta(days=7) for end in ends) >= 4


def test_jobs_are_in_every_stage_and_most_are_open() -> None:
    stages = Counter(v.stage.stage.name for v in EVERY if v.stage and v.stage.stage)
    assert set(stages) == {"Open", "On hold", "Filled", "Closed", "Lost"}
    assert stages["Open"] >= 50


def test_every_job_was_created_in_the_past_at_a_different_time() -> None:
    for slug in ("acme", "globex"):
        created = [v.created_at.created_at for v in vacancies(slug) if v.created_at and v.created_at.created_at]
        assert len(created) == len(vacancies(slug))
        assert max(created) < NOW
        assert len(set(created)) >= len(created) - 3


def test_jobs_are_written_in_four_languages() -> None:
    spoken = {slug: Counter(map(language, vacancies(slug))) for slug in ("acme", "globex")}
    assert spoken["acme"]["de"] >= 9
    assert spoken["acme"]["fr"] == 2
    assert spoken["acme"]["ar"] == 1
    assert spoken["acme"]["en"] >= 18
    assert spoken["globex"]["fr"] == 6
    assert spoken["globex"]["de"] == 4


def test_countries_are_written_as_recruiters_write_them() -> None:
    countries = {place.country for v in EVERY if (place := location(v))}
    assert {"Germany", "Deutschland", "DE", "Österreich", "CH", "Schweiz", "USA", "United Kingdom", "UK"} <= countries


def test_locations_range_from_a_full_address_to_none() -> None:
    places = [location(v) for v in EVERY]
    told = [place.model_dump(exclude_none=True) for place in places if place]
    assert sum("latitude" in place and "longitude" in place for place in told) >= 40
    assert sum(set(place) == {"raw_city_country"} for place in told) >= 3
    assert sum(set(place) == {"formatted_address"} for place in told) == 2
    assert any("street1" in place and "postal_code" in place for place in told)
    assert None in places


def test_the_agency_has_many_clients_and_one_job_without() -> None:
    clients = {v.client.client.name if v.client and v.client.client else None for v in vacancies("globex")}
    assert len(clients) == 9
    assert None in clients


def test_internal_members_are_filled_in_somewhere() -> None:
    assert any(v.team and v.team.team for v in EVERY)
    assert any(v.client_team and v.client_team.client_team for v in EVERY)
    assert any(v.scorecard and v.scorecard.scorecards for v in EVERY)
    assert any(v.next_task_due and v.next_task_due.next_task_due for v in EVERY)
    assert any(v.custom_attributes for v in EVERY)
    assert any(v.client_portal_id for v in EVERY)
    assert any(v.last_ranked_at for v in EVERY)


@pytest.mark.parametrize(
    "pasted",
    [
        "<h2>",
        "<ul><li>",
        r"<li>[^<]*\s*<ul>",
        "<ol",
        "<table",
        "style=",
        "<font",
        "<center>",
        "<o:p>",
        "MsoNormal",
        "mso-",
        r"<!--\[if gte mso 9\]>",
        r"<!\[if !supportLists\]>",
        r"<p>&nbsp;</p>",
        "(&nbsp;){5}",
        'href="https:',
        'href="mailto:',
        'href="javascript:',
        "<img",
        "<script",
        "onclick=",
        "onerror=",
        "[\U0001f300-\U0001faff]",
    ],
)
def test_descriptions_contain_typical_pasted_markup(pasted: str) -> None:
    assert any(re.search(pasted, description(v)) for v in EVERY)


def test_some_descriptions_have_unclosed_tags() -> None:
    assert any(description(v).count("<p>") > description(v).count("</p>") for v in EVERY)
    assert any(description(v).count("<li>") > description(v).count("</li>") for v in EVERY)
