"""Dates and times are in the company's time zone; an end at midnight is shown as the day before."""

import re
from datetime import UTC, date, datetime

import pytest
from babel import Locale

from portal.platform import local_time
from tests.site.browse.jobs import Careers, careers, vacancy

BERLIN, NEW_YORK, TOKYO = (local_time.zone_of(name) for name in ("Europe/Berlin", "America/New_York", "Asia/Tokyo"))


@pytest.mark.parametrize("zone", [UTC, BERLIN, NEW_YORK, TOKYO])
@pytest.mark.parametrize(
    "end",
    [
        datetime(2026, 3, 13, tzinfo=UTC),
        datetime(2026, 3, 12, 23, 59, tzinfo=UTC),
        datetime(2026, 3, 12, 23, 59, 59, 999_999, tzinfo=UTC),
    ],
)
def test_an_end_date_is_that_date_everywhere(end: datetime, zone):
    assert local_time.last_date_of(end, zone) == date(2026, 3, 12)


@pytest.mark.parametrize(
    ("end", "zone", "day"),
    [
        (datetime(2026, 3, 12, 23, 58, tzinfo=UTC), BERLIN, 13),
        (datetime(2026, 3, 12, 23, 58, tzinfo=UTC), UTC, 12),
        (datetime(2026, 3, 12, 23, 0, tzinfo=UTC), BERLIN, 12),  # midnight in Berlin
        (datetime(2026, 3, 12, 23, 0, 0, 1, tzinfo=UTC), BERLIN, 13),
        (datetime(2026, 3, 13, 0, 0, 1, tzinfo=UTC), NEW_YORK, 12),
        (datetime(2026, 3, 13, 0, 0, 1, tzinfo=UTC), BERLIN, 13),
    ],
)
def test_an_end_with_a_time_has_the_companys_date(end: datetime, zone, day: int):
    assert local_time.last_date_of(end, zone) == date(2026, 3, day)


def test_a_start_date_is_that_date_everywhere():
    begin = datetime(2026, 3, 13, tzinfo=UTC)
    assert {local_time.date_of(begin, zone) for zone in (UTC, BERLIN, NEW_YORK, TOKYO)} == {date(2026, 3, 13)}
    assert local_time.date_of(datetime(2026, 3, 12, 23, 30, tzinfo=UTC), BERLIN) == date(2026, 3, 13)


@pytest.mark.parametrize(
    ("tag", "zone", "said", "clocks"),
    [
        ("en", BERLIN, "12 July 2026, 16:32", "Central European Time"),
        ("en_US", BERLIN, "July 12, 2026, 4:32 PM", "Central European Time"),
        ("de", BERLIN, "12. Juli 2026, 16:32", "Mitteleuropäische Zeit"),
        ("fr", NEW_YORK, "12 juillet 2026, 10:32", "heure de l’Est nord-américain"),
        ("ar", UTC, "12 يوليو 2026، 2:32 م", "UTC"),
    ],
)
def test_a_time_is_shown_in_the_time_zone_that_the_page_names(tag: str, zone, said: str, clocks: str):
    instant = datetime(2026, 7, 12, 14, 32, tzinfo=UTC)
    assert local_time.in_words(instant, Locale.parse(tag), zone).replace("\u202f", " ") == said
    assert local_time.zone_in_words(Locale.parse(tag), zone) == clocks


@pytest.fixture
def in_new_york(tmp_path) -> Careers:
    made = careers(tmp_path)
    file = tmp_path / "tenants" / "acme.toml"
    file.write_text(file.read_text().replace("[site]", '[site]\ntimezone = "America/New_York"'))
    made.publish(
        vacancy(
            "j1", "Welder", start="2026-03-01T03:00:00Z", created="2026-02-01T03:00:00Z", end="2027-03-13T00:00:00Z"
        )
    )
    return made


def test_a_job_is_posted_and_closes_on_the_companys_dates(in_new_york: Careers):
    page = in_new_york.get("/acme/jobs/j1").text
    assert re.search(r'<time datetime="2026-02-28"[^>]*>28 February 2026</time>', page)
    assert '<time datetime="2027-03-12">12 March 2027</time>' in page
    assert re.search(r'<time datetime="2026-02-28"[^>]*>28 February 2026</time>', in_new_york.get("/acme/").text)
