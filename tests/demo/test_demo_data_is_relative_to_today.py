"""A demo that is loaded next year looks like one that was loaded today."""

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from portal.demo.vacancies import records


def demo_vacancies(slug: str, now: datetime) -> list[dict[str, Any]]:
    return [each["record"] for each in map(json.loads, records(slug, now)) if each["kind"] == "vacancy"]


def test_only_times_depend_on_the_day_of_loading() -> None:
    today = datetime(2031, 5, 6, 7, 8, tzinfo=UTC)
    later = today + timedelta(days=365)
    for slug in ("acme", "globex"):
        for now, then in zip(demo_vacancies(slug, today), demo_vacancies(slug, later), strict=True):
            assert now["id"] == then["id"]
            assert now["name"] == then["name"]
            for wrapper, member in (("createdAt", "createdAt"), ("startAt", "startAt"), ("endAt", "endAt")):
                before, after = now[wrapper][member], then[wrapper][member]
                assert (before is None) == (after is None)
                if before:
                    moved = datetime.fromisoformat(after) - datetime.fromisoformat(before)
                    assert moved == timedelta(days=365)


def test_hour_and_time_zone_of_loading_do_not_matter() -> None:
    dawn = datetime(2031, 5, 6, 0, 1, tzinfo=UTC)
    same_day_elsewhere = datetime(2031, 5, 7, 1, 30, tzinfo=timezone(timedelta(hours=2)))
    assert demo_vacancies("acme", dawn) == demo_vacancies("acme", same_day_elsewhere)
