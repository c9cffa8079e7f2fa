"""Bad input at every route: refused as the tables say, at little cost, and nothing is told of the inside."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile.corpus import Case, cases_of
from tests.hostile.judging import faults
from tests.hostile.premises import Premises, opened
from tests.told_clock import ToldClock

AT_LEAST = 1_500
"""Cases, of the whole corpus as of what `make test` sends of it."""


@pytest.fixture
def premises(portal_url: str, tracker_url: str, tmp_path: Path) -> Iterator[Premises]:
    with opened(tmp_path, ToldClock(), portal_url=portal_url, tracker_url=tracker_url) as made:
        yield made


def corpus(premises: Premises) -> list[Case]:
    return [case for turn, route in enumerate(premises.routes()) for case in cases_of(route, turn)]


def wrong_with(premises: Premises, cases: list[Case]) -> list[str]:
    """Send the cases; what is wrong, a line each."""
    found, met = [], set()
    for case in cases:
        asked, answer = premises.ask(case)
        found += [f"{case} {one}" for one in faults(asked, answer, case.expected, premises.secrets)]
        met.add(case.key)
    counted = Counter((route.partition(":")[0], place) for route, place, _, _ in met)
    print(f"{len(met)} cases:", ", ".join(f"{app} {place} {many}" for (app, place), many in sorted(counted.items())))  # noqa: T201  what `pytest -s` shows
    assert len(met) >= AT_LEAST
    return found


def test_it(premises: Premises):
    assert wrong_with(premises, [case for case in corpus(premises) if case.is_daily]) == []


@pytest.mark.verify
def test_all_of_it(premises: Premises, database_kind: str):
    """On PostgreSQL a third of what may reach it: it refuses what SQLite takes, such as NUL and large numbers."""
    every = [case for case in corpus(premises) if case.is_thorough]
    if database_kind == "postgresql":
        every = [case for case in every if case.is_stored and case.turn % 3 == 0]
    assert wrong_with(premises, every) == []
