"""What a benchmark reports, and what a figure has to reach."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

Shares = list[tuple[float, str]]
"""A profile: what part of the samples or the memory, and of what; the largest first."""


@dataclass(frozen=True, slots=True)
class Target:
    """One row of the table. name: what is divided by what, or of which unit it is."""

    name: str
    good: Literal["at least", "at most"]
    value: float

    def met(self, measured: float) -> bool:
        """Whether it is reached."""
        return measured >= self.value if self.good == "at least" else measured <= self.value


@dataclass(frozen=True, slots=True)
class Part:
    """One module, bench.bench_{name}, run in a process of its own; without targets only when it is asked for by name.

    seconds: of a run of all parts; explained: the page of docs/ that says why the figures are what they are.
    """

    name: str
    seconds: float
    explained: str
    how: str
    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class Measured:
    """One figure. name: its target's; detail: the values that it is made of; rounds: what it is the median of.

    profile: is called where the target is missed, while everything that was measured still runs.
    """

    name: str
    value: float
    detail: str
    rounds: Sequence[float] = ()
    profile: Callable[[], Shares] | None = None

    @property
    def spread(self) -> tuple[float, float] | None:
        """Between which values the middle half of the rounds lies."""
        if len(self.rounds) < 2:
            return None
        low, _, high = statistics.quantiles(self.rounds, n=4, method="inclusive")
        return low, high


def median(name: str, rounds: Sequence[float], detail: str, profile: Callable[[], Shares] | None = None) -> Measured:
    """A figure of several rounds."""
    return Measured(name, statistics.median(rounds), f"{detail}; {len(rounds)} rounds", rounds, profile)
