"""Server and worker need no more memory in the third hour of load than in the second.

MEMORY_SECONDS of it, three parts of equal length, each with pages, searches, forms that come back, uploads and
applications with a CV; three hours in `make soak`. What they need is the median of each part's second half.
"""

import itertools
import os
import statistics
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random

import httpx
import psutil
import pytest

from tests.delivery.running_portal import RunningPortal, running_portal

pytestmark = [pytest.mark.soak, pytest.mark.verify]
SECONDS = float(os.environ.get("MEMORY_SECONDS", "45"))
SHORT = 1_200.0
"""In less, tables of places and words are still being read, and caches filled."""
FLAT = 1.10 if SECONDS >= SHORT else 1.35
PEOPLE = 3
NETWORKS = 10_000
"""From which they come: what a limit counts is kept for an hour, one counter for each."""
FILES = Path(__file__).parents[1] / "files"
CVS = [FILES / name for name in ("cv.pdf", "cv.docx", "cv.odt", "scan.pdf", "locked.pdf", "cv.doc")]
WORDS = ("welder", "nurse berlin", "wedler", "Krankenpfleger", "remote engineer", "lyon france", "60311", "(m/w/d)")
PAGES = ("/acme/", "/acme/jobs/job-1", "/acme/jobs/job-1/apply", "/globex/", "/acme/jobs.json", "/acme/feed.atom")
PAGES += ("/acme/sitemap.xml", "/acme/profile", "/readyz", "/acme/nothing-here", "/globex/alerts", "/de/acme/")


@pytest.fixture
def at(tmp_path: Path) -> Iterator[RunningPortal]:
    with running_portal(tmp_path / "p", f"sqlite:///{tmp_path / 'portal.db'}") as made:
        made.from_nothing = True
        yield made


class Visitors:
    """Visitors who read, search, apply and make mistakes, until they are stopped.

    `sent`: applications that were accepted; `late`: responses that took a minute."""

    def __init__(self, at: RunningPortal) -> None:
        self.at, self.stop, self.sent, self.asked, self.late = at, threading.Event(), 0, 0, 0
        self._numbers = itertools.count()

    def run(self, seed: int) -> None:
        chance = Random(seed)  # noqa: S311  simulated visitors, not keys
        with httpx.Client(base_url=self.at.url, trust_env=False, timeout=60) as client:
            while not self.stop.is_set():
                client.headers["X-Forwarded-For"] = self._network()
                deed = chance.choice((self.look, self.look, self.search, self.upload, self.apply, self.err))
                try:
                    deed(client, chance)
                except httpx.TimeoutException:  # the machine was suspended; a repeated request is load, too
                    self.late += 1
                self.asked += 1
                time.sleep(0.05)

    def look(self, client: httpx.Client, chance: Random) -> None:
        client.get(chance.choice(PAGES))

    def search(self, client: httpx.Client, chance: Random) -> None:
        for _ in range(5):  # each search is new to the server, as those of real visitors are, and fills the cache
            client.get("/acme/", params={"q": f"{chance.choice(WORDS)} {chance.randrange(100_000)}"})

    def upload(self, client: httpx.Client, chance: Random) -> None:
        form = self.at.open_form()
        cv = chance.choice(CVS)
        client.post("/acme/uploads", data=form.hidden, files={"cv": (cv.name, cv.read_bytes())})

    def apply(self, _: httpx.Client, chance: Random) -> None:
        form = self.at.open_form(chance.choice(("acme", "globex")), profile="I weld. " * chance.randrange(500))
        self.sent += self.at.post(form).status_code == 303

    def err(self, _: httpx.Client, chance: Random) -> None:
        form = self.at.open_form(email="nobody", profile="x" * chance.randrange(5_000))
        assert self.at.post(form).status_code != 303

    def _network(self) -> str:
        number = next(self._numbers) % NETWORKS
        return f"10.100.{number // 250}.{number % 250}"


def memory(at: RunningPortal) -> dict[str, int]:
    """Return the private memory of `serve` and `worker` in bytes, each with its children."""
    found: dict[str, int] = defaultdict(int)
    for name, process in at.running.items():
        found[name] = sum(_own(one) for one in (psutil.Process(process.pid), *process.children(recursive=True)))
    return dict(found)


def _own(process: psutil.Process) -> int:
    try:
        return int(process.memory_full_info().uss)
    except psutil.Error:  # a process that has finished inspecting a file
        return 0


def test_the_third_part_of_a_load_needs_no_more_memory_than_the_second(at: RunningPortal, record_property):
    at.start("serve", "worker")
    at.serving()
    at.until(lambda: httpx.get(f"{at.url}/acme/jobs/job-1", trust_env=False).is_success, "the jobs are synced")
    crowd = Visitors(at)
    people = [threading.Thread(target=crowd.run, args=(seed,), daemon=True) for seed in range(PEOPLE)]
    for one in people:
        one.start()
    parts: list[dict[str, list[int]]] = [defaultdict(list) for _ in range(3)]
    for part in parts:
        ends = time.monotonic() + SECONDS / 3
        while (left := ends - time.monotonic()) > 0:
            time.sleep(min(left, SECONDS / 150))
            if left < SECONDS / 6:
                for name, size in memory(at).items():
                    part[name].append(size)
    crowd.stop.set()
    for one in people:
        one.join(90)
    curve = {name: [round(statistics.median(part[name]) / 1e6, 1) for part in parts] for name in ("serve", "worker")}
    told = f"MB of each part: {curve}; {crowd.asked} deeds, {crowd.late} late, {crowd.sent} applications"
    record_property("memory", told)
    print(told)  # noqa: T201  the result of a soak
    assert crowd.sent > 0
    assert crowd.late <= crowd.asked / 1_000
    for name, (_, second, third) in curve.items():
        assert third <= second * FLAT, f"{name}: {told}"
