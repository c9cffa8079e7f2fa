"""Retry-After is respected, and unreasonable values are bounded."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from portal.adapters.tracker_client.errors import TemporarilyUnavailable, Throttled
from portal.adapters.tracker_client.outcome import DEFAULT_PAUSE, pause_of
from tests.adapters.tracker_client.calling import client, submit
from tests.parts.misbehaving import answer, misbehaving

TOO_MUCH = [("999999", 86_400), ("9" * 400, 86_400), ("abc", DEFAULT_PAUSE), ("soon, please", DEFAULT_PAUSE)]
NOON = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("asked", "kept"),
    [("120", 120), ("0", 1), ("-1", 1), ("1", 1), ("1.5", 1.5), ("86400", 86_400), ("86401", 86_400), *TOO_MUCH],
)
def test_seconds_are_bounded_to_a_second_and_a_day(status: int, asked: str, kept: float) -> None:
    with misbehaving(answer(status=status, headers={"Retry-After": asked})) as server, client(server.url) as upstream:
        with pytest.raises(Throttled) as caught:
            submit(upstream)
        assert caught.value.retry_after == kept


def test_a_date_is_relative_to_the_clock_of_the_service() -> None:
    long_ago = datetime(2001, 1, 1, tzinfo=UTC)
    headers = {"Date": _http(long_ago), "Retry-After": _http(long_ago + timedelta(seconds=90))}
    with misbehaving(answer(status=429, headers=headers)) as server, client(server.url) as upstream:
        with pytest.raises(Throttled) as caught:
            submit(upstream)
        assert caught.value.retry_after == 90


@pytest.mark.parametrize(("ahead", "kept"), [(90, 90), (0, 1), (-3600, 1), (86_400, 86_400), (10**7, 86_400)])
def test_dates_are_bounded_to_a_second_and_a_day(ahead: int, kept: float) -> None:
    assert pause_of(_http(NOON + timedelta(seconds=ahead)), now=NOON) == kept


@pytest.mark.parametrize("asked", ["Mon, 01 Jun 99999 12:00:00 GMT", "Mon, 99 Jun 2026 12:00:00 GMT", "", "²", "١"])
def test_an_unreadable_value_becomes_the_default(asked: str) -> None:
    assert pause_of(asked, now=NOON) == DEFAULT_PAUSE


def test_429_without_retry_after_has_a_default_and_503_has_none() -> None:
    with misbehaving(answer(status=429), answer(status=503)) as server, client(server.url) as upstream:
        with pytest.raises(Throttled) as caught:
            submit(upstream)
        assert caught.value.retry_after == DEFAULT_PAUSE
        with pytest.raises(TemporarilyUnavailable):
            submit(upstream)


def _http(moment: datetime) -> str:
    return format_datetime(moment, usegmt=True)
