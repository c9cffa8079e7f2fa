"""With 1,000 applications to a job its pages cost little more than with 50.

Pages of both jobs are opened in turns and the lowest costs are compared, because a busy machine slows both.
"""

import time
from collections.abc import Callable
from itertools import cycle
from typing import Any

import httpx
import pytest

from portal.tracker.hiring import replies
from tests.tracker.hiring.applicants import newest
from tests.tracker.hiring.site import OWNER, HiringBrowser, HiringSite
from tests.tracker.office import submission

FEW, MANY = 50, 1_000
"""The few fill a page of the list."""
MOST = 5
"""Times as dear. What reads every application in full is twenty times as dear."""
TURNS = 7


@pytest.mark.verify
def test_pages_cost_little_more_with_many_applications(hiring_on_both: HiringSite):
    owner = hiring_on_both.signed_in(OWNER)
    few, many = (Job(hiring_on_both, owner, number) for number in (FEW, MANY))
    dearer = {name: _ratio(few.page(name), many.page(name)) for name in few.pages}
    for one in (few, many):
        owner.get(one.path)
        owner.post("/reply", **one.bulk | {"then": "send"})
    dearer["list with what waits"] = _ratio(few.page("list"), many.page("list"))
    assert max(dearer.values()) <= MOST, dearer


class Job:
    """A job with so many applications, and its pages by name."""

    def __init__(self, hiring: HiringSite, owner: HiringBrowser, number: int) -> None:
        job = hiring.office.add_vacancy()
        for one in range(number):
            body = submission(email=f"p{one}@of{number}.example", firstName=f"Zoë {one}", lastName="Müller")
            assert hiring.office.public.post(f"/acme/vacancy-portal/jobs/{job}", json=body).status_code == 201
        self.path, newest_one = f"/jobs/{job}/applications", newest(hiring.office, job)
        ids = [row["id"] for row in hiring.office.applications(job)][: replies.MOST]
        self.bulk: dict[str, Any] = {"to": ids, "kind": "rejection", "locale": "en", "subject": "About {job}"}
        self.bulk |= {"body": "Hello {name}"}
        self.owner = owner
        moves = cycle([{"seen": "new", "stage": "offer"}, {"seen": "offer", "stage": "new"}])
        last = (number - 1) // 50 + 1
        self.pages: dict[str, Callable[[], httpx.Response]] = {
            "list": lambda: owner.get(self.path),
            "last page": lambda: owner.get(f"{self.path}?page={last}"),
            "stage": lambda: owner.get(f"{self.path}?stage=new"),
            "search": lambda: owner.post(self.path, name="muller zoe 7"),
            "one": lambda: owner.get(f"/applications/{newest_one}"),
            "move": lambda: owner.post(f"/applications/{newest_one}/stage", **next(moves)),
            "bulk form": lambda: owner.post("/reply", **self.bulk | {"then": "begin"}),
            "bulk preview": lambda: owner.post("/reply", **self.bulk | {"then": "preview"}),
        }

    def page(self, name: str) -> Callable[[], float]:
        """Return a function that opens a page and returns the seconds of CPU time it took."""

        def cost() -> float:
            self.owner.get(self.path)
            began = time.process_time()
            assert self.pages[name]().status_code == 200
            return time.process_time() - began

        return cost


def _ratio(few: Callable[[], float], many: Callable[[], float]) -> float:
    turns = [(few(), many()) for _ in range(TURNS)]
    return min(dear for _, dear in turns) / min(cheap for cheap, _ in turns)
