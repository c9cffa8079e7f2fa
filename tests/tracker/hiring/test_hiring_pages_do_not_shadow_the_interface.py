"""Requests for a record with the id "hiring" still reach the documented interface."""

import pytest

from portal.tracker.hiring.app import HiringMount
from tests.tracker.hiring.site import HiringSite


@pytest.mark.parametrize(
    "path", ["/vacancies/hiring", "/applications/hiring", "/candidates/hiring", "/pipeline/hiring"]
)
def test_the_documented_interface_responds(hiring: HiringSite, path: str):
    answer = hiring.browser().client.get(path)
    assert answer.status_code in {401, 404}
    assert answer.headers["content-type"].startswith("application/problem+json")


def test_a_company_called_static_receives_applications(hiring: HiringSite):
    answer = hiring.browser().client.post("/static/vacancy-portal/jobs/unknown", json={})
    assert answer.status_code in {404, 422}
    assert answer.headers["content-type"].startswith("application/problem+json")


def test_hiring_pages_respond_at_their_own_paths(hiring: HiringSite):
    assert hiring.browser().get().status_code == 200
    assert HiringMount(hiring.office.app, hiring.services.concurrency).has("/vacancies-of-acme/hiring/jobs")
