"""Random changes at the service, random faults of the connection; the job index equals the service all the same."""

import random
from datetime import datetime, timedelta

import httpx
import pytest

from portal.adapters.tracker_client.errors import TrackerError
from portal.jobs.posting import Closed, Posting
from tests.jobs.conftest import Mirror
from tests.jobs.recruiters import CHANGES, Facts, Recruiters, Shown, every_word_finds_its_jobs, shown
from tests.jobs.standin import StandIn, json_response, vacancy

pytestmark = [pytest.mark.soak, pytest.mark.verify]
AT_ONCE = 24
STAGES = {"open": "Open", "filled": "Filled", "hold": "Draft"}


class StandInAccess:
    """The stand-in's own records."""

    def __init__(self, service: StandIn) -> None:
        self._service = service
        self._made = 0

    def vacancies(self) -> list[str]:
        return list(self._service.records)

    def create(self, facts: Facts) -> str:
        self._made += 1
        self.edit(f"v{self._made}", facts)
        return f"v{self._made}"

    def edit(self, vacancy_id: str, facts: Facts) -> None:
        record = vacancy(
            vacancy_id,
            facts.title,
            stage=STAGES[facts.status],
            location={"city": facts.city, "country": "DE"},
            employment_type=facts.employment_type,
            start_at=facts.start_at,
            end_at=facts.end_at,
        )
        self._service.put(record)

    def delete(self, vacancy_id: str) -> None:
        self._service.delete(vacancy_id)


def fault(service: StandIn, chance: random.Random) -> None:
    """From one of the next requests on, make the service fail in one way."""
    answer = chance.choice(
        [
            httpx.Response(500),
            httpx.Response(200, html="<html></html>"),
            httpx.Response(401),
            json_response({"items": [], "pageInfo": {"nextCursor": None, "hasNextPage": False}}),
            json_response({"items": "?"}),
        ]
    )
    when = chance.randrange(4)
    asked = iter(range(1_000))
    service.fault = lambda _: answer if next(asked) >= when else None


def truth(mirrored: Mirror) -> Shown:
    now = mirrored.clock.now()

    def at(text: str | None, otherwise: timedelta) -> datetime:
        return datetime.fromisoformat(text) if text else now + otherwise

    return {
        key: (record["name"]["name"], record["location"]["location"]["city"])
        for key, (_, record) in mirrored.service.records.items()
        if record["stage"]["stage"]["name"] == "Open"
        and at(record["startAt"]["startAt"], -timedelta(1)) <= now < at(record["endAt"]["endAt"], timedelta(1))
    }


def test_job_index_and_service_are_equal(mirrored: Mirror):
    recruiters = Recruiters(StandInAccess(mirrored.service), mirrored.clock, seed=20)
    for step in range(CHANGES // AT_ONCE):
        for _ in range(AT_ONCE):
            recruiters.change()
        if step % 3 == 1:
            fault(mirrored.service, recruiters.chance)
            for full in (False, True):
                try:
                    mirrored.sync(full=full)
                except TrackerError:
                    continue
            mirrored.service.fault = None
        mirrored.clock.pass_time(recruiters.chance.choice([60, 60, 60, 1_800]))
        mirrored.sync()
        # Without a full sync everything but deletions is equal.
        expected = truth(mirrored)
        found = shown(mirrored)
        assert {key: found.get(key) for key in expected} == expected
        assert not (found.keys() - expected.keys()) & mirrored.service.records.keys()
        if step % 4 == 3:
            mirrored.sync(full=True, force=True)
            assert shown(mirrored) == truth(mirrored)
    mirrored.sync(full=True, force=True)
    assert shown(mirrored) == truth(mirrored)
    every_word_finds_its_jobs(mirrored, truth(mirrored))
    for vacancy_id in recruiters.known - truth(mirrored).keys():
        assert not isinstance(mirrored.posting(vacancy_id), Posting)
    gone = [mirrored.posting(vacancy_id) for vacancy_id in recruiters.known - mirrored.service.records.keys()]
    assert any(isinstance(each, Closed) for each in gone)
