"""The trace of an application covers all requests from the form to the service, without personal data."""

import pytest

from portal.platform import tracing
from tests.builders import Portal
from tests.parts.leaks import leaks_in
from tests.platform.tracing.collector import Collector, Told
from tests.platform.tracing.conftest import Traced
from tests.site.account.candidate import Visitor
from tests.site.account.test_a_candidate_changes_her_profile import confirm
from tests.site.apply.applicant import Applicant

FORM = "/<slug>/jobs/<vacancy>/apply"
MAY_BE_SAID = {
    "http.request.method",
    "http.route",
    "http.response.status_code",
    *(f"portal.{name}" for name in ("tenant", "request", "reference", "kind", "attempt", "state", "error", "reason")),
}


def below(collector: Collector, span: Told) -> list[Told]:
    return [one for one in collector.spans if one.parent == span.id]


def test_a_request_has_a_span_named_by_its_route(acme: Portal, traced: Traced):
    with acme.browser() as client:
        answer = client.get("/acme/?q=welder")
        client.get("/acme/nothing")
    there, missing = traced().spans
    assert there.name == f"GET {there.said['http.route']}" == "GET /<slug>/"
    assert there.said["http.response.status_code"] == 200
    assert there.said["portal.tenant"] == "acme"
    assert there.said["portal.request"] == answer.headers["x-request-id"]
    assert missing.said["http.response.status_code"] == 404
    assert not there.failed
    assert not there.parent
    assert there.trace != missing.trace


def test_cached_pages_are_traced_and_health_checks_are_not(acme: Portal, traced: Traced):
    with acme.browser() as client:
        for path in ("/acme/", "/acme/", "/healthz", "/readyz", "/metrics"):
            client.get(path)
    assert [one.name for one in traced().spans] == ["GET /<slug>/"] * 2


def test_a_delivery_and_the_request_at_the_tracking_service_are_one_trace(acme: Portal, traced: Traced):
    with acme.browser() as client:
        reference = Applicant(client).receipt().rpartition("/")[2].partition("?")[0]
    acme.work.deliver_what_is_due()
    collector = traced()
    (sent,) = [
        one for one in collector.spans if one.said.get("portal.reference") == reference and one.name[:4] == "POST"
    ]
    assert sent.said["portal.kind"] == "application"
    delivery = collector.one("deliver application")
    assert delivery.said["portal.reference"] == reference
    assert (delivery.said["portal.tenant"], delivery.said["portal.attempt"]) == ("acme", 1)
    assert delivery.said["portal.state"] == "delivered"
    assert "portal.error" not in delivery.said
    assert delivery.trace != sent.trace
    (service,) = below(collector, delivery)
    assert service.trace == delivery.trace
    assert service.name.startswith("POST /")
    assert service.said["portal.request"] == delivery.said["portal.request"]


def test_a_failed_attempt_has_its_error_in_the_trace(acme: Portal, traced: Traced):
    with acme.browser() as client:
        Applicant(client).receipt()
    acme.service.database.close()
    for file in acme.folder.glob("tracker.db*"):
        file.unlink()
    (acme.folder / "tracker.db").mkdir()
    acme.work.deliver_what_is_due()
    delivery = traced().named("deliver application")[0]
    assert delivery.failed
    assert delivery.said["portal.error"] in {"MayHaveArrived", "TemporarilyUnavailable", "Throttled"}
    assert delivery.said["portal.state"] in {"retry", "ambiguous"}


def test_a_page_and_its_requests_to_the_tracking_service_are_one_trace(acme: Portal, traced: Traced):
    ada = Visitor(acme)
    ada.sign_in()
    ada.client.get("/acme/profile/edit")
    collector = traced()
    (service,) = below(collector, collector.one("GET /<slug>/profile/edit"))
    assert service.name == "GET /candidates"


def test_a_sync_pass_and_its_requests_are_one_trace(acme: Portal, traced: Traced):
    acme.parts.clock.pass_time(120)
    acme.work.mirror_what_is_due()
    collector = traced()
    looked = collector.one("read vacancies")
    assert (looked.said["portal.tenant"], looked.said["portal.kind"]) == ("acme", "vacancies")
    assert {one.name for one in below(collector, looked)} == {"GET /vacancies"}


def test_a_failed_sync_pass_has_its_error_in_the_trace(acme: Portal, traced: Traced):
    acme.write_tenant("acme", "Acme")
    (acme.folder / "acme.key").write_text("a-key-that-opens-nothing")
    acme.parts.clock.pass_time(120)
    acme.work.mirror_what_is_due()
    looked = traced().one("read vacancies")
    assert looked.failed
    assert looked.said["portal.error"] == "KeyRefused"


def test_traces_contain_no_personal_data(acme: Portal, traced: Traced):
    ada = Visitor(acme)
    ada.sign_in()
    confirm(ada, ada.form().press(firstName="Augusta"))
    with acme.browser() as client:
        for path in ("/acme/?q=Lovelace", "/acme/Ada-Lovelace", "/acme/jobs/job-1?email=ada@people.example"):
            client.get(path)
        Applicant(client).receipt()
        Applicant(client).post(email="nobody")
    acme.work.deliver_what_is_due()
    acme.work.index_what_is_due()
    collector = traced()
    assert {"deliver application", "deliver record"} <= {one.name for one in collector.spans}
    assert {name for one in collector.spans for name in one.said} <= MAY_BE_SAID
    texts = [str(text) for one in collector.spans for text in (one.name, *one.words, *one.said.values())]
    texts += [str(text) for one in collector.resources for text in one.values()]
    assert [leak for text in texts for leak in leaks_in(text)] == []
    assert not {word for one in collector.spans for word in one.words if word}
    letters = [one for one in collector.spans if one.name.startswith("deliver ") and one.said["portal.kind"] in LETTERS]
    assert letters
    assert not any("portal.reference" in one.said for one in letters)


LETTERS = {"letter", "code"}
OUTSIDE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def test_a_trace_from_a_trusted_proxy_is_continued(acme: Portal, traced: Traced):
    with acme.browser(traceparent=OUTSIDE) as client:
        client.get("/acme/")
    (span,) = traced().spans
    assert (span.trace, span.parent) == (OUTSIDE[3:35], OUTSIDE[36:52])


@pytest.mark.parametrize(
    "said", ["", "x", OUTSIDE[:-1], f"ff{OUTSIDE[2:]}", "00-" + "0" * 32 + OUTSIDE[35:], f"{OUTSIDE},{OUTSIDE}"]
)
def test_an_invalid_traceparent_is_ignored(acme: Portal, traced: Traced, said: str):
    with acme.browser(traceparent=said) as client:
        assert client.get("/acme/").is_success
    (span,) = traced().spans
    assert not span.parent
    assert span.trace != OUTSIDE[3:35]


def test_a_trace_from_an_untrusted_client_is_not_continued(acme: Portal, traced: Traced):
    tracing.begin("portal-serve")
    with acme.browser(traceparent=OUTSIDE) as client:
        client.get("/acme/")
    (span,) = traced().spans
    assert not span.parent
    assert span.trace != OUTSIDE[3:35]
