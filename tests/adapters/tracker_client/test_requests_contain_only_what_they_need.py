"""A tenant's key is sent only to its own service for reading, and forms are sent as entered."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest

from portal.adapters.tracker_client.client import TrackerClient
from portal.contract.bodies import CandidateUpdate, EmailEntryBody
from portal.platform.clock import SystemClock
from portal.platform.errors import SettingsError
from tests.adapters.tracker_client.calling import CANDIDATE, KEY, client, submit, update
from tests.parts.misbehaving import answer, misbehaving

EMPTY = {
    "id": "v1",
    "items": [],
    "pageInfo": {"hasNextPage": False},
    "stages": [],
    "vacancy": {"id": "v1"},
    "applications": [],
}


def test_the_api_key_is_sent_for_reading_and_never_for_public_operations() -> None:
    with misbehaving(answer(EMPTY)) as server, client(f"{server.url}/api/") as upstream:
        upstream.vacancies()
        upstream.candidates()
        upstream.vacancy("v1")
        upstream.applications("v1")
        upstream.application("a1")
        upstream.stages()
        upstream.stages("t 1")
        keyed = len(server.seen)
        submit(upstream)
        update(upstream)
        assert [seen.headers.get("x-api-key") for seen in server.seen] == [KEY] * keyed + [None, None]
        assert KEY.encode() not in b"".join(s.head.encode() + s.body for s in server.seen[keyed:])
        assert [seen.target for seen in server.seen] == [
            "/api/vacancies?limit=50",
            "/api/candidates?limit=50",
            "/api/vacancies/v1",
            "/api/applications/vacancy/v1",
            "/api/applications/a1",
            "/api/pipeline/applications/stages",
            "/api/pipeline/applications/stages?templateId=t+1",
            "/api/acme/vacancy-portal/jobs/v1",
            f"/api/acme/candidate-portal/{CANDIDATE}",
        ]


def test_connections_are_reused_and_separate_for_public_operations() -> None:
    with misbehaving(answer(EMPTY)) as server, client(server.url) as upstream:
        for _ in range(3):
            upstream.vacancies()
            submit(upstream)
        keyed = {seen.connection for seen in server.seen if "x-api-key" in seen.headers}
        public = {seen.connection for seen in server.seen if "x-api-key" not in seen.headers}
        assert (len(keyed), len(public), server.connections) == (1, 1, 2)
        assert not keyed & public


def test_cookies_are_ignored_and_compression_is_not_requested() -> None:
    with misbehaving(answer(EMPTY, headers={"Set-Cookie": "a=b; Path=/"})) as server, client(server.url) as upstream:
        for _ in range(2):
            upstream.stages()
            submit(upstream)
        for seen in server.seen:
            assert "cookie" not in seen.headers
            assert seen.headers["accept-encoding"] == "identity"
            assert seen.headers["user-agent"] == "careers-portal"


def test_an_application_is_sent_exactly() -> None:
    with misbehaving(answer(None, status=201)) as server, client(server.url) as upstream:
        submit(upstream)
    (seen,) = server.seen
    assert json.loads(seen.body) == {
        "networkUrl": None,
        "firstName": "José",
        "lastName": "李",
        "cvAttachmentId": "acme/abc",
        "email": "jose@mail.example",
        "phoneNumber": "+34600000000",
        "location": {"type": "primary_home", "city": "Cádiz"},
    }
    assert seen.headers["content-type"] == "application/json"
    assert seen.headers["idempotency-key"] == "ref-1"


def test_missing_lists_are_not_sent_and_empty_lists_are() -> None:
    some = CandidateUpdate(
        first_name="A", last_name="B", emails=[EmailEntryBody(email="a@b.example", is_primary=True)], social_media=[]
    )
    with misbehaving(answer(None)) as server, client(server.url) as upstream:
        update(upstream)
        upstream.update_candidate("c 1/ü", some, reference="ref-3")
    assert json.loads(server.seen[0].body) == {"firstName": "José", "lastName": "李"}
    assert json.loads(server.seen[1].body) == {
        "firstName": "A",
        "lastName": "B",
        "emails": [{"email": "a@b.example", "isPrimary": True}],
        "socialMedia": [],
    }
    assert server.seen[1].target == "/acme/candidate-portal/c%201%2F%C3%BC"


def test_pages_are_requested_as_the_interface_defines() -> None:
    since = datetime(2026, 6, 1, 14, 0, 0, 250, tzinfo=timezone(timedelta(hours=2)))
    with misbehaving(answer(EMPTY)) as server, client(server.url) as upstream:
        upstream.candidates(limit=1, modified_since=since, cursor="a+/=&x=1")
        for limit in (0, 51):
            with pytest.raises(ValueError, match="1 to 50"):
                upstream.vacancies(limit=limit)
    assert server.seen[0].target == (
        "/candidates?limit=1&modifiedSince=2026-06-01T12%3A00%3A00.000250Z&cursor=a%2B%2F%3D%26x%3D1"
    )
    assert since.astimezone(UTC).hour == 12


@pytest.mark.parametrize(
    "base_url",
    [
        "",
        "tracker.example",
        "ftp://a.example",
        "https://",
        "https://u:p@a.example",
        "https://a.example/?x=1",
        "https://a.example/#f",
    ],
)
def test_an_invalid_base_url_is_rejected_before_sending(base_url: str) -> None:
    with pytest.raises(SettingsError, match="base_url"):
        TrackerClient(base_url=base_url, slug="acme", api_key=KEY, clock=SystemClock())


@pytest.mark.parametrize("api_key", ["", "a b", "a\r\nX: y", "ключ", "x" * 501])
def test_an_api_key_invalid_in_headers_is_rejected_without_repeating_it(api_key: str) -> None:
    with pytest.raises(SettingsError, match="api_key") as caught:
        TrackerClient(base_url="https://a.example", slug="acme", api_key=api_key, clock=SystemClock())
    assert not api_key or api_key not in str(caught.value)


@pytest.mark.parametrize("reference", ["", "a\r\nX: y", "ü", "x" * 201])
def test_a_reference_invalid_in_headers_is_rejected(reference: str) -> None:
    with client("http://127.0.0.1:1") as upstream, pytest.raises(ValueError, match="reference"):
        upstream.update_candidate("c1", CandidateUpdate(first_name="A", last_name="B"), reference=reference)
