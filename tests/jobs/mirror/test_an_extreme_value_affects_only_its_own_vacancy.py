"""A value that cannot be stored makes its vacancy unreadable, or is limited; it stops no sync and no page."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from portal.jobs.mirror import state
from portal.jobs.posting import Posting
from portal.platform import local_time
from tests.jobs.conftest import Mirror
from tests.jobs.standin import json_response, vacancy

DIGITS = "9" * 5_000


def answering(mirrored: Mirror, **pieces: bytes) -> None:
    """Replace each piece of text in the service's responses by these bytes."""

    def corrupted(request: httpx.Request) -> httpx.Response:
        mirrored.service.fault = None
        content = mirrored.service.answer(request).content
        mirrored.service.fault = corrupted
        for text, raw in pieces.items():
            content = content.replace(text.encode(), raw)
        return httpx.Response(200, content=content, headers={"Content-Type": "application/json"})

    mirrored.service.fault = corrupted


@pytest.fixture
def two(mirrored: Mirror) -> Mirror:
    mirrored.publish(show_salary=True, facets={"Department": "dep"})
    mirrored.service.put(vacancy("good", "Nurse"))
    mirrored.service.put(vacancy("odd", "Doctor MARK", salary={"currency": "EUR", "min": 77_777, "max": 77_777}))
    return mirrored


@pytest.mark.parametrize(
    "raw",
    [b"caf\xe9", b"\xff\xfe", b"\xed\xa0\x80", b"\\ud800"],
    ids=["Latin-1", "no text at all", "a surrogate's bytes", "a surrogate"],
)
def test_bytes_that_are_not_utf8(two: Mirror, raw: bytes):
    two.sync()
    answering(two, MARK=raw)
    two.clock.pass_time(60)
    two.service.put(vacancy("new", "Midwife"))
    for full in (False, True):
        two.sync(full=full)
        assert sorted(two.titles()) == ["Doctor MARK", "Midwife", "Nurse"]
        assert [one.vacancy_id for one in state.set_aside(two.database, "acme")] == ["odd"]


def test_invalid_bytes_in_an_unused_field(two: Mirror):
    two.service.put(vacancy("odd", "Doctor", client="MARK"))
    answering(two, MARK=b"\xe9")
    two.sync()
    assert sorted(two.titles()) == ["Doctor", "Nurse"]


@pytest.mark.parametrize(
    "number", [DIGITS, f"-{DIGITS}", "1" + "0" * 4_000], ids=["unparsable", "negative", "beyond every float"]
)
def test_an_endless_integer(two: Mirror, number: str):
    answering(two, **{"77777": number.encode()})
    two.sync()
    assert two.titles() == ["Nurse"]
    assert [one.vacancy_id for one in state.set_aside(two.database, "acme")] == ["odd"]


def test_an_endless_integer_in_an_attribute(two: Mirror):
    two.service.put(vacancy("odd", "Doctor", attributes=[("dep", 77_777)]))
    answering(two, **{"77777": DIGITS.encode()})
    two.sync()
    assert sorted(two.titles()) == ["Doctor", "Nurse"]


def test_an_endless_integer_in_an_unused_field(two: Mirror):
    two.service.put(vacancy("odd", "Doctor") | {"nextTaskDue": 77_777})
    answering(two, **{"77777": DIGITS.encode()})
    two.sync()
    assert sorted(two.titles()) == ["Doctor", "Nurse"]


def test_a_stage_name_too_long_for_an_index(two: Mirror):
    long = "".join(chr(0x4E00 + (7 * number) % 20_000) for number in range(5_000))  # which no database can compress
    two.publish(stages=frozenset({"Open", long}))
    two.service.put(vacancy("odd", "Doctor", stage=long))
    two.sync()
    assert two.titles() == ["Nurse"]
    assert "no stage" not in state.none_shown(two.database, two.tenant, two.clock)


@pytest.mark.parametrize(
    "dates",
    [
        {"created_at": "0001-01-01T00:00:00Z"},
        {"created_at": "9999-12-31T23:59:59.999999Z"},
        {"start_at": "0001-01-01T00:00:00Z", "end_at": "9999-12-31T23:59:59.999999Z"},
    ],
)
def test_the_first_and_the_last_date_of_the_calendar(two: Mirror, dates: dict[str, Any]):
    two.service.put(vacancy("odd", "Doctor", **dates))
    two.sync()
    found = two.posting("odd")
    assert isinstance(found, Posting)
    for at in (found.created_at, found.start_at, found.end_at):
        for zone in ("Pacific/Kiritimati", "America/Los_Angeles"):
            assert at is None or at.astimezone(local_time.zone_of(zone))


def test_a_date_before_the_calendar_in_utc(two: Mirror):
    two.service.put(vacancy("odd", "Doctor", start_at="0001-01-01T00:00:00+14:00"))
    two.sync()
    assert two.titles() == ["Nurse"]


@pytest.mark.parametrize("year", [1, 9999])
def test_a_service_clock_at_an_end_of_the_calendar(two: Mirror, year: int):
    """The service's time becomes the watermark, from which the next sync goes back ten minutes."""
    two.service.date = lambda: None
    at = datetime(year, 1, 1, tzinfo=UTC) if year == 1 else datetime(year, 12, 31, 23, 59, tzinfo=UTC)
    for key in ("good", "odd"):
        two.service.put(vacancy(key, created_at=at.isoformat()), at=at)
    for _ in range(3):
        two.sync()
        two.clock.pass_time(60)
    assert len(two.titles()) == 2


def test_a_cursor_that_does_not_advance_at_the_end_of_the_calendar(two: Mirror):
    end = (datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC) + timedelta(microseconds=999_999)).isoformat()
    page = {"items": [vacancy("good", "Nurse")], "pageInfo": {"nextCursor": end, "hasNextPage": True}}
    two.service.fault = lambda request: json_response(page) if request.url.path == "/vacancies" else None
    assert two.sync(full=True).alarms
    assert two.titles() == ["Nurse"]
