"""Random changes at the service, random faults on the way; in between and at the end, both must say the same."""

import random
from datetime import datetime, timedelta

import httpx

from portal.errors import UpstreamError
from portal.vacancies.posting import Closed, Posting
from tests.vacancies.conftest import Mirror
from tests.vacancies.standin import iso, json_response, vacancy

CHANGES = 2_400
AT_ONCE = 24
CITIES = ["Berlin", "Hamburg", "Köln", "München"]


class Recruiters:
    """They create, edit, close, reopen and delete, at random but repeatably."""

    def __init__(self, mirrored: Mirror) -> None:
        self.mirrored = mirrored
        self.chance = random.Random(20)  # noqa: S311  repeatable, not secret
        self.made = 0
        self.known: set[str] = set()

    def change(self) -> None:
        service, chance = self.mirrored.service, self.chance
        self.mirrored.clock.pass_time(chance.random() * 3)
        if not service.records or chance.random() < 0.3:
            self.made += 1
            self._write(f"v{self.made}")
            return
        vacancy_id = chance.choice(list(service.records))
        if chance.random() < 0.2:
            service.delete(vacancy_id)
        else:
            self._write(vacancy_id)

    def _write(self, vacancy_id: str) -> None:
        chance, now = self.chance, self.mirrored.clock.now()
        record = vacancy(
            vacancy_id,
            f"{chance.choice(['Nurse', 'Baker', 'Pilot'])} {chance.randrange(1_000)}",
            stage=chance.choice(["Open", "Open", "Open", "Filled", "Draft"]),
            location={"city": chance.choice(CITIES), "country": "DE"},
            employment_type=chance.choice(["fullTime", "partTime", None]),
            start_at=chance.choice([None, None, iso(now, hours=1), iso(now, hours=-1)]),
            end_at=chance.choice([None, None, None, iso(now, hours=2), iso(now, minutes=-5)]),
        )
        self.mirrored.service.put(record)
        self.known.add(vacancy_id)

    def fault(self) -> None:
        answer = self.chance.choice(
            [
                httpx.Response(500),
                httpx.Response(200, html="<html></html>"),
                httpx.Response(401),
                json_response({"items": [], "pageInfo": {"nextCursor": None, "hasNextPage": False}}),
                json_response({"items": "?"}),
            ]
        )
        when = self.chance.randrange(4)
        asked = iter(range(1_000))
        self.mirrored.service.fault = lambda _: answer if next(asked) >= when else None


def truth(mirrored: Mirror) -> dict[str, tuple[str, str]]:
    now = mirrored.clock.now()

    def at(text: str | None, otherwise: timedelta) -> datetime:
        return datetime.fromisoformat(text) if text else now + otherwise

    return {
        key: (record["name"]["name"], record["location"]["location"]["city"])
        for key, (_, record) in mirrored.service.records.items()
        if record["stage"]["stage"]["name"] == "Open"
        and at(record["startAt"]["startAt"], -timedelta(1)) <= now < at(record["endAt"]["endAt"], timedelta(1))
    }


def shown(mirrored: Mirror) -> dict[str, tuple[str, str | None]]:
    found, after = {}, None
    while True:
        results = mirrored.find(after=after, size=150)
        found |= {hit.posting.id: (hit.posting.title, hit.posting.place.city) for hit in results.hits}
        after = results.next
        if after is None:
            assert results.total == len(found) == sum(choice.count for choice in results.cities)
            return found


def test_mirror_and_service_are_equal(mirrored: Mirror):
    recruiters = Recruiters(mirrored)
    for step in range(CHANGES // AT_ONCE):
        for _ in range(AT_ONCE):
            recruiters.change()
        if step % 3 == 1:
            recruiters.fault()
            for full in (False, True):
                try:
                    mirrored.sync(full=full)
                except UpstreamError:
                    continue
            mirrored.service.fault = None
        mirrored.clock.pass_time(recruiters.chance.choice([60, 60, 60, 1_800]))
        mirrored.sync()
        # Without a full pass all but deletions are right.
        expected = truth(mirrored)
        found = shown(mirrored)
        assert {key: found.get(key) for key in expected} == expected
        assert not (found.keys() - expected.keys()) & mirrored.service.records.keys()
        if step % 4 == 3:
            mirrored.sync(full=True, force=True)
            assert shown(mirrored) == truth(mirrored)
    mirrored.sync(full=True, force=True)
    assert shown(mirrored) == truth(mirrored)
    _every_word_finds_its_jobs(mirrored)
    for vacancy_id in recruiters.known - truth(mirrored).keys():
        assert not isinstance(mirrored.posting(vacancy_id), Posting)
    gone = [mirrored.posting(vacancy_id) for vacancy_id in recruiters.known - mirrored.service.records.keys()]
    assert any(isinstance(each, Closed) for each in gone)


def _every_word_finds_its_jobs(mirrored: Mirror) -> None:
    expected = truth(mirrored)
    for word in ("Nurse", "Baker", "Pilot"):
        wanted = {key for key, (title, _) in expected.items() if word in title}
        assert {hit.posting.id for hit in mirrored.find(word, size=500).hits} == wanted
        for city in CITIES:
            narrowed = {key for key in wanted if expected[key][1] == city}
            assert mirrored.find(f"{word} {city}").total == len(narrowed)
            assert mirrored.find(word, cities=(city,)).total == len(narrowed)
    assert mirrored.find().total == len(expected)
