"""An error with one company's list is recorded and retried with growing pauses; other lists are still synced."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from portal.background.sync import health
from portal.background.sync.tables import ListName
from tests import builders
from tests.background.sync.companies import Services, portal


class Wrecked(Exception):
    """An unexpected error whose text contains a name."""


def wreck(company: str) -> httpx.Response | None:
    if company == "acme":
        raise Wrecked("ada@people.example")
    return None


def both(made: builders.Portal) -> None:
    made.work.mirror_what_is_due()
    made.work.index_what_is_due()


def known(made: builders.Portal, name: ListName, company: str = "acme") -> health.Health:
    return health.all_of(made.parts.database, name, made.parts.clock.now())[company]


@pytest.fixture
def two(tmp_path: Path, portal_url: str) -> Iterator[tuple[builders.Portal, Services]]:
    with portal(tmp_path, portal_url, "acme", "globex") as made:
        yield made


@pytest.mark.parametrize("name", list(ListName))
def test_lists_of_other_companies_are_still_synced(two: tuple[builders.Portal, Services], name: ListName):
    made, services = two
    services.fault = wreck
    both(made)
    assert ("globex", f"/{name}") in services.asked
    assert known(made, name, "globex").age == 0.0
    assert known(made, name).failures == 1


@pytest.mark.parametrize("name", list(ListName))
def test_messages_of_errors_are_not_stored(
    two: tuple[builders.Portal, Services], name: ListName, caplog: pytest.LogCaptureFixture
):
    made, services = two
    services.fault = wreck
    both(made)
    said = known(made, name).error or ""
    assert "Wrecked at " in said
    assert "ada@" not in said + caplog.text


@pytest.mark.parametrize("name", list(ListName))
def test_pauses_double_up_to_a_quarter_of_an_hour_until_a_success(
    two: tuple[builders.Portal, Services], name: ListName
):
    made, services = two
    services.fault = wreck
    clock, mine = made.parts.clock, ("acme", f"/{name}")
    pauses: list[int] = []
    for _ in range(7):
        both(made)
        asked = services.asked.count(mine)
        waited = 0
        while services.asked.count(mine) == asked:
            clock.sleep(30)
            waited += 30
            both(made)
        pauses.append(waited)
    assert pauses == [60, 120, 240, 480, 900, 900, 900]
    services.fault = lambda _: None
    clock.sleep(900)
    both(made)
    assert (known(made, name).failures, known(made, name).error) == (0, None)
    asked = services.asked.count(mine)
    clock.sleep(60)
    both(made)
    assert services.asked.count(mine) == asked + 1


def test_a_longer_retry_after_is_respected(two: tuple[builders.Portal, Services]):
    made, services = two
    services.fault = lambda _: httpx.Response(429, headers={"Retry-After": "3600"})
    both(made)
    asked = len(services.asked)
    made.parts.clock.sleep(3_599)
    both(made)
    assert len(services.asked) == asked
    made.parts.clock.sleep(1)
    both(made)
    assert len(services.asked) > asked
