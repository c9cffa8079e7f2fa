"""The id on an error page is in every log line of its request, at the portal and the service."""

import re

import pytest

from tests.builders import Portal
from tests.platform.logs.log_reader import LogReader
from tests.site.account.candidate import Visitor
from tests.site.apply.applicant import Applicant

MADE = re.compile(r"[0-9a-f]{16}")


def test_every_response_has_a_new_request_id_including_cached_pages(acme: Portal, log_reader: LogReader):
    with acme.browser() as client:
        given = [client.get("/acme/").headers["x-request-id"] for _ in range(3)]
    assert all(MADE.fullmatch(one) for one in given)
    assert len(set(given)) == 3
    assert [line["request"] for line in log_reader.of("answered")] == given


@pytest.mark.parametrize("said", ["a", "A-b_c.9", "x" * 64])
def test_the_request_id_of_a_proxy_is_used(acme: Portal, said: str):
    with acme.browser(**{"X-Request-Id": said}) as client:
        assert client.get("/acme/").headers.get_list("x-request-id") == [said]


@pytest.mark.parametrize("said", ["x" * 65, "two words", 'a"b', "a,b", "%0a", "{}"])
def test_an_invalid_request_id_is_ignored(acme: Portal, said: str):
    with acme.browser() as client:
        answer = client.get("/acme/", headers={"X-Request-Id": said.encode()})
        assert MADE.fullmatch(answer.headers["x-request-id"])


def test_requests_to_the_tracking_service_have_the_same_id(acme: Portal, ada: Visitor, log_reader: LogReader):
    ada.sign_in()
    answer = ada.client.get("/acme/profile/edit")
    (mine, ours) = [
        line for line in log_reader.of("answered") if line["request"] == answer.headers["x-request-id"]
    ]  # the service logs first: it responded before the page was complete
    assert (mine["route"], ours["route"]) == ("/candidates", "/<slug>/profile/edit")


def test_a_delivery_and_the_log_of_the_tracking_service_share_an_id(acme: Portal, log_reader: LogReader):
    with acme.browser() as client:
        Applicant(client).receipt()
    acme.work.deliver_what_is_due()
    (delivered,) = log_reader.of("delivered")
    asked = [line for line in log_reader.of("answered") if line["request"] == delivered["request"]]
    assert [line["method"] for line in asked] == ["POST"]
    assert delivered["request"] != log_reader.of("accepted")[0]["request"]


def test_an_error_page_shows_the_id_and_explains_it(acme: Portal):
    acme.parts.schema_checked = False
    acme.parts.database.close()
    for file in acme.folder.glob("portal.db*"):
        file.unlink()
    (acme.folder / "portal.db").mkdir()
    with acme.browser() as client:
        answer = client.get("/acme/jobs/job-1/apply")
    assert answer.status_code == 503
    assert f'<code dir="ltr">{answer.headers["x-request-id"]}</code>' in answer.text
    assert "If you write to the company about this, include this line:" in answer.text


def test_a_page_that_is_not_found_shows_no_id(acme: Portal):
    with acme.browser() as client:
        answer = client.get("/acme/nothing")
    assert answer.status_code == 404
    assert answer.headers["x-request-id"] not in answer.text
