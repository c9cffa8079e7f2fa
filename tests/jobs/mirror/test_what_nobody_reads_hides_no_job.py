"""A recruiter's mistake in a member that the portal never shows leaves the job where it is."""

from typing import Any

import httpx
import pytest

from portal.jobs.mirror import state
from portal.jobs.posting import Posting
from tests.jobs.conftest import Mirror
from tests.jobs.standin import vacancy

UNREAD: list[dict[str, Any]] = [
    {"nextTaskDue": {"nextTaskDue": {"dueDate": "when I find the time"}}},
    {"team": {"team": "everybody"}},
    {"scorecard": 7},
    {"client": {"client": {"name": 7}}},
    {"salaryRange": {"salaryRange": {"min": "a lot"}}},
    {"stage": {"stage": {"name": "Open", "order": "first"}}},
    {"location": {"location": {"type": ["home"], "city": "Berlin"}}},
    {"clientTeam": {"clientTeam": [{"firstName": "\ud800"}]}},
]


@pytest.mark.parametrize("wrong", UNREAD, ids=lambda wrong: next(iter(wrong)))
def test_the_job_is_public(mirrored: Mirror, wrong: dict[str, Any]):
    mirrored.service.put(vacancy("v1", "Nurse") | wrong)
    assert mirrored.sync().bad == 0
    assert isinstance(mirrored.posting("v1"), Posting)
    assert state.set_aside(mirrored.database, "acme") == []


def test_nor_does_one_in_the_detail_that_its_posting_id_comes_from(mirrored: Mirror):
    mirrored.publish(posting_attribute="posting")
    wrong = {"lastRankedAt": "never", "nextTaskDue": {"nextTaskDue": {"dueDate": "soon"}}, "endAt": 7}
    mirrored.service.put(vacancy("v1", "Nurse", attributes=[("posting", "NURSE-1")]))
    asked = mirrored.service.answer

    def detail(request: httpx.Request) -> httpx.Response | None:
        if request.url.path == "/vacancies":
            return None
        return httpx.Response(200, json=asked(request).json() | wrong)

    mirrored.service.fault = detail
    assert mirrored.sync().bad == 0
    assert isinstance(mirrored.posting("NURSE-1"), Posting)


def test_what_is_shown_is_read_closely(mirrored: Mirror):
    mirrored.publish(show_salary=True)
    mirrored.service.put(vacancy("v1", "Nurse") | {"salaryRange": {"salaryRange": {"min": "a lot"}}})
    assert mirrored.sync().bad == 1
