"""An access line names what was requested, without values that give access."""

import os

import pytest

from tests.builders import Portal
from tests.platform.logs.log_reader import LogReader
from tests.site.apply.applicant import Applicant


def test_an_access_line_has_method_path_route_status_time_size_id_and_tenant(acme: Portal, log_reader: LogReader):
    with acme.browser() as client:
        answer = client.get("/acme/jobs/job-1?utm_source=somewhere")
    (line,) = log_reader.of("answered")
    assert line.pop("time").endswith("Z")
    assert line.pop("seconds") >= 0
    assert line == {
        "level": "info",
        "pid": os.getpid(),
        "event": "answered",
        "method": "GET",
        "path": "/acme/jobs/job-1",
        "route": "/<slug>/jobs/<posting_id>",
        "status": 200,
        "bytes": int(answer.headers["content-length"]),
        "request": answer.headers["x-request-id"],
        "tenant": "acme",
    }


def test_cached_pages_are_logged_like_any_other(acme: Portal, log_reader: LogReader):
    with acme.browser() as client:
        for _ in range(3):
            client.get("/acme/")
    told = [(line["path"], line["route"], line["tenant"], line["status"]) for line in log_reader.of("answered")]
    assert told == [("/acme/", "/<slug>/", "acme", 200)] * 3


def test_a_receipt_is_logged_by_its_route_alone(acme: Portal, log_reader: LogReader):
    with acme.browser() as client:
        receipt = Applicant(client).receipt()
        client.get(receipt)
    line = log_reader.of("answered")[-1]
    assert line["path"] == "/acme/applications/<reference>"
    assert receipt.rpartition("/")[2] not in str(line)


@pytest.mark.parametrize("path", ["/acme/jobs/ada.lovelace", "/acme/jobs/canary-candidate-id", "/ada@people.example"])
def test_secrets_pasted_into_a_url_are_not_logged(acme: Portal, log_reader: LogReader, path: str):
    with acme.browser() as client:
        assert client.get(path).status_code == 404
    (line,) = log_reader.of("answered")
    assert path.rpartition("/")[2] not in str(line)


def test_health_checks_are_not_logged(acme: Portal, log_reader: LogReader):
    with acme.browser() as client:
        for path in ("/healthz", "/readyz", "/metrics", "/static/img/icon.svg"):
            client.get(path)
    assert log_reader.of("answered") == []


def test_unknown_methods_are_not_logged_literally(acme: Portal, log_reader: LogReader):
    with acme.browser() as client:
        client.request("LOVELACE", "/acme/")
    (line,) = log_reader.of("answered")
    assert line["method"] == "other"


def test_the_tracking_service_logs_its_routes_without_ids(acme: Portal, log_reader: LogReader):
    import httpx

    with httpx.Client(transport=acme.service.transport, base_url="http://127.0.0.1") as client:
        client.get("/applications/canary-application", headers={"x-api-key": acme.keys["acme"]})
    (line,) = log_reader.of("answered")
    assert line["path"] == line["route"]
    assert "canary" not in str(line)
