"""An invalid value in a field that the portal never shows does not hide the job."""

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
def test_a_job_with_an_invalid_unused_field_is_public(mirrored: Mirror, wrong: dict[str, Any]):
    mirrored.service.put(vacancy("v1", "Nurse") | wrong)
    assert mirrored.sync().bad == 0
    assert isinstance(mirrored.posting("v1"), Posting)
    assert state.set_aside(mirrored.database, "acme") == []


def test_an_invalid_unused_field_of_the_details_does_not_hide_the_job(mirrored: Mirror):
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


def test_fields_that_are_shown_are_validated(mirrored: Mirror):
    mirrored.publish(show_salary=True)
    mirrored.service.put(vacancy("v1", "Nurse") | {"salaryRange": {"salaryRange": {"min": "a lot"}}})
    assert mirrored.sync().bad == 1
