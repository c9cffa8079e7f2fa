"""Simulated recruiters, who create, edit, close, reopen and delete vacancies in a seeded random order."""

import os
import random
from dataclasses import dataclass
from typing import Protocol

from tests.jobs.conftest import Mirror
from tests.jobs.standin import iso
from tests.told_clock import ToldClock

CHANGES = int(os.environ.get("SYNC_CHANGES", "360"))
"""How many there are before mirror and service are compared for the last time; thousands in `make soak`."""
CITIES = ["Berlin", "Hamburg", "Köln", "München"]
TRADES = ["Nurse", "Baker", "Pilot"]
Shown = dict[str, tuple[str, str | None]]
"""Posting id → title and city."""


@dataclass(frozen=True)
class Facts:
    """The contents of a vacancy. status: of §3. attribute: the value with the posting id, if an attribute has it."""

    title: str
    status: str
    city: str
    employment_type: str | None
    start_at: str | None
    end_at: str | None
    attribute: str | None


class RecruiterAccess(Protocol):
    """A recruiter's access to a service."""

    def vacancies(self) -> list[str]:
        """Return the ids of all vacancies."""
        ...

    def create(self, facts: Facts) -> str:
        """Create a vacancy; return its id."""
        ...

    def edit(self, vacancy_id: str, facts: Facts) -> None:
        """Replace all fields of a vacancy."""
        ...

    def delete(self, vacancy_id: str) -> None:
        """Delete a vacancy."""
        ...


class Recruiters:
    """Simulated recruiters. known: every vacancy that ever existed."""

    def __init__(self, desk: RecruiterAccess, clock: ToldClock, seed: int) -> None:
        self.chance = random.Random(seed)  # noqa: S311  repeatable, not secret
        self.known: set[str] = set()
        self._desk = desk
        self._clock = clock

    def change(self) -> None:
        """Make one change, and advance the clock."""
        chance, there = self.chance, self._desk.vacancies()
        self._clock.pass_time(chance.random() * 3)
        if not there or chance.random() < 0.3:
            self.known.add(self._desk.create(self._facts()))
        elif chance.random() < 0.2:
            self._desk.delete(chance.choice(there))
        else:
            self._desk.edit(chance.choice(there), self._facts())

    def _facts(self) -> Facts:
        chance, now = self.chance, self._clock.now()
        return Facts(
            title=f"{chance.choice(TRADES)} {chance.randrange(1_000)}",
            status=chance.choice(["open", "open", "open", "filled", "hold"]),
            city=chance.choice(CITIES),
            employment_type=chance.choice(["fullTime", "partTime", None]),
            start_at=chance.choice([None, None, iso(now, hours=1), iso(now, hours=-1)]),
            end_at=chance.choice([None, None, None, iso(now, hours=2), iso(now, minutes=-5)]),
            attribute=chance.choice([None, "no address", *(f"A-{chance.randrange(2_000)}" for _ in range(6))]),
        )


def shown(mirrored: Mirror) -> Shown:
    """Return every posting on every page of the list; check that the counts match them."""
    found: Shown = {}
    after = None
    while True:
        results = mirrored.find(after=after, size=150)
        found |= {hit.posting.id: (hit.posting.title, hit.posting.place.city) for hit in results.hits}
        after = results.next
        if after is None:
            assert results.total == len(found) == sum(choice.count for choice in results.cities)
            return found


def every_word_finds_its_jobs(mirrored: Mirror, expected: Shown) -> None:
    """Check that search and filters cover exactly the postings that are shown."""
    for word in TRADES:
        wanted = {key for key, (title, _) in expected.items() if word in title}
        assert {hit.posting.id for hit in mirrored.find(word, size=500).hits} == wanted
        for city in CITIES:
            narrowed = {key for key in wanted if expected[key][1] == city}
            assert mirrored.find(f"{word} {city}").total == len(narrowed)
            assert mirrored.find(word, cities=(city,)).total == len(narrowed)
    assert mirrored.find().total == len(expected)
