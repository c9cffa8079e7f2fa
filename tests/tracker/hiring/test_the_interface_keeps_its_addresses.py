"""A record whose id is "hiring" is answered by the documented interface, with the pages beside it as without them."""

import pytest

from portal.tracker.hiring.app import HiringMount
from tests.tracker.hiring.site import HiringSite


@pytest.mark.parametrize(
    "path", ["/vacancies/hiring", "/applications/hiring", "/candidates/hiring", "/pipeline/hiring"]
)
def test_the_answer_is_the_interfaces(hiring: HiringSite, path: str):
    answer = hiring.browser().client.get(path)
    assert answer.status_code in {401, 404}
    assert answer.headers["content-type"].startswith("application/problem+json")


def test_a_company_called_static_takes_applications(hiring: HiringSite):
    answer = hiring.browser().client.post("/static/vacancy-portal/jobs/unknown", json={})
    assert answer.status_code in {404, 422}
    assert answer.headers["content-type"].startswith("application/problem+json")


def test_a_companys_pages_are_theirs(hiring: HiringSite):
    assert hiring.browser().get().status_code == 200
    assert HiringMount(hiring.office.app, hiring.services.concurrency).has("/vacancies-of-acme/hiring/jobs")
