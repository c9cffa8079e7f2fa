"""Lists contain no attributes: a full sync requests the details of vacancies that changed before it."""

import httpx
import pytest

from portal.adapters.tracker_client.errors import TrackerError
from portal.jobs.posting import Posting
from tests.jobs.conftest import Mirror
from tests.jobs.standin import vacancy


@pytest.fixture
def by_attribute(mirrored: Mirror) -> Mirror:
    mirrored.publish(posting_attribute="posting")
    mirrored.service.put(vacancy("v1", attributes=[("posting", "OLD")]))
    mirrored.service.put(vacancy("v2", "Doctor", attributes=[("posting", "SAME")]))
    mirrored.clock.pass_time(3_600)
    mirrored.sync()
    mirrored.service.put(vacancy("v1", attributes=[("posting", "NEW")]))
    return mirrored


def test_an_attribute_changed_during_an_outage_is_read(by_attribute: Mirror):
    by_attribute.service.fault = lambda _: httpx.Response(500)
    with pytest.raises(TrackerError):
        by_attribute.sync()
    by_attribute.clock.pass_time(86_400)
    by_attribute.service.fault = None
    by_attribute.sync(full=True)
    assert isinstance(by_attribute.posting("NEW"), Posting)


def test_an_attribute_changed_during_the_sync_is_read(by_attribute: Mirror):
    by_attribute.sync(full=True)

    def meanwhile(request: httpx.Request) -> None:
        if request.url.path == "/vacancies" and "modifiedSince" not in request.url.params:
            by_attribute.service.put(vacancy("v1", attributes=[("posting", "NEWEST")]))

    by_attribute.service.fault = meanwhile
    by_attribute.sync(full=True)
    by_attribute.service.fault = None
    by_attribute.clock.pass_time(3_600)
    by_attribute.sync()
    assert isinstance(by_attribute.posting("NEWEST"), Posting)


def test_details_of_unchanged_vacancies_are_not_requested(by_attribute: Mirror):
    by_attribute.clock.pass_time(3_600)
    by_attribute.sync()
    by_attribute.clock.pass_time(3_600)
    by_attribute.service.requests.clear()
    by_attribute.sync(full=True)
    assert [request.url.path for request in by_attribute.service.requests] == ["/vacancies", "/vacancies"]


def test_only_the_list_is_read_if_no_attribute_is_needed(mirrored: Mirror):
    mirrored.service.put(vacancy("v1"))
    mirrored.sync()
    mirrored.service.requests.clear()
    mirrored.sync(full=True)
    assert len(mirrored.service.requests) == 1
