"""Results of users' requests, the faults at the time, and the report of both."""

import math
import threading
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

GRACE = 20.0
"""Seconds after a fault in which failures still count as its effects, until pools and probes have recovered."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One request. begun: seconds since the start of the run. status: 0 without a response."""

    what: str
    begun: float
    seconds: float
    status: int

    @property
    def is_trouble(self) -> bool:
        """Return whether the request failed for its user."""
        return self.status == 0 or self.status >= 500


@dataclass(slots=True)
class Fault:
    """A fault. began, ended: seconds since the start of the run."""

    name: str
    began: float
    ended: float = math.inf

    def explains(self, answer: Answer) -> bool:
        """Return whether the request was in progress during this fault, or shortly after it."""
        return self.began <= answer.begun + answer.seconds and answer.begun <= self.ended + GRACE


@dataclass
class Observations:
    """All requests and faults of a run. Thread-safe."""

    answers: list[Answer] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, answer: Answer) -> None:
        """Record a request."""
        with self._lock:
            self.answers.append(answer)

    def unexplained(self) -> list[Answer]:
        """Return failed requests that no fault explains."""
        return [one for one in self.answers if one.is_trouble and not any(f.explains(one) for f in self.faults)]

    def other_than_503(self) -> Counter[str]:
        """Return server errors with another status than 503, and their numbers."""
        return Counter(f"{one.status} {one.what}" for one in self.answers if one.status >= 500 and one.status != 503)

    def page_p99(self) -> float:
        """Return the 99th percentile of response times of pages, in seconds, outside of faults."""
        pages = [one.seconds for one in self.answers if one.what.startswith("page") and not one.is_trouble]
        calm = [
            one.seconds
            for one in self.answers
            if one.what.startswith("page") and not one.is_trouble and not any(f.explains(one) for f in self.faults)
        ]
        return percentile(calm or pages, 0.99)

    def table(self) -> list[str]:
        """Return a row for each fault: when, what, how long, and its effect on users."""
        rows = ["| at | broken | for | requests | what people saw | longest until the next success |"]
        rows.append("|---|---|---|---|---|---|")
        for fault in self.faults:
            meant = [one for one in self.answers if fault.explains(one)]
            trouble = Counter(_seen(one) for one in meant if one.is_trouble)
            seen = ", ".join(f"{count} × {what}" for what, count in trouble.most_common()) or "nothing"
            lasted = f"{fault.ended - fault.began:.0f} s"
            rows.append(
                f"| {clock_of(fault.began)} | {fault.name} | {lasted} | {len(meant):,} | {seen} | {_gap(meant)} |"
            )
        return rows


def percentile(values: Iterable[float], share: float) -> float:
    """Return the value that this share of the values does not exceed; 0 without values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def _seen(answer: Answer) -> str:
    kind = answer.what.partition(" ")[0]
    return f"{answer.status} ({kind})" if answer.status else f"no answer ({kind})"


def _gap(answers: list[Answer]) -> str:
    """Return the longest time in which requests failed and none of their kind succeeded."""
    longest = 0.0
    for kind in {one.what for one in answers}:
        since: float | None = None
        for one in sorted((one for one in answers if one.what == kind), key=lambda one: one.begun + one.seconds):
            if one.is_trouble:
                since = one.begun if since is None else since
            elif since is not None:
                longest = max(longest, one.begun + one.seconds - since)
                since = None
    return f"{longest:.0f} s" if longest else "–"


def clock_of(seconds: float) -> str:
    """Return minutes and seconds since the start of the run."""
    return f"{int(seconds) // 60:02}:{int(seconds) % 60:02}"
