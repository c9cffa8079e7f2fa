"""Each status code becomes an error with its kind, for operators, and its consequence, for workers."""

import pytest

from portal.adapters.tracker_client.errors import (
    Conflicting,
    KeyRefused,
    MayHaveArrived,
    RecordNotFound,
    Redirected,
    Rejected,
    TemporarilyUnavailable,
    Throttled,
    TrackerError,
)
from tests.adapters.tracker_client.calling import CANDIDATE, KEY, client, submit, update
from tests.parts.misbehaving import answer, misbehaving

MEANINGS: list[tuple[int, type[TrackerError]]] = [
    *((status, Redirected) for status in (300, 301, 302, 303, 304, 307, 308)),
    *((status, KeyRefused) for status in (401, 403)),
    *((status, RecordNotFound) for status in (404, 410)),
    (409, Conflicting),
    *((status, TemporarilyUnavailable) for status in (408, 425, 503)),
    (429, Throttled),
    *((status, Rejected) for status in (400, 402, 405, 406, 413, 415, 418, 422, 451, 499)),
    *((status, MayHaveArrived) for status in (500, 501, 502, 504, 505, 507, 599, 600, 999)),
]


@pytest.mark.parametrize(("status", "kind"), MEANINGS)
def test_each_status_code_becomes_one_specific_error(status: int, kind: type[TrackerError]) -> None:
    personal = {"detail": "Jane Doe, jane@mail.example"}
    with misbehaving(answer(personal, status=status)) as server, client(server.url) as upstream:
        for call, section in ((submit, "4.8"), (update, "4.10"), (lambda u: u.vacancies(), "4.1")):
            with pytest.raises(TrackerError) as caught:
                call(upstream)
            assert type(caught.value) is kind
            assert (caught.value.status, caught.value.operation) == (status, section)
            told = f"{caught.value!r} {caught.value}"
            for secret in (KEY, CANDIDATE, "Jane", "127.0.0.1", "ref-"):
                assert secret not in told
            assert caught.value.__cause__ is None
            assert caught.value.__context__ is None


def test_redirects_are_not_followed() -> None:
    with misbehaving(answer({"stages": []})) as elsewhere:
        away = answer(status=307, headers={"Location": f"{elsewhere.url}/pipeline/applications/stages"})
        with misbehaving(away) as server, client(server.url) as upstream:
            with pytest.raises(Redirected):
                upstream.stages()
            with pytest.raises(Redirected):
                submit(upstream)
        assert elsewhere.connections == 0


@pytest.mark.parametrize("status", [200, 201, 202, 204])
@pytest.mark.parametrize("raw", [b"", b"{}", b"true", b'"an id"', b"[1]", b"null", b" \n", b'\xef\xbb\xbf{"a": 1}'])
def test_2xx_with_json_or_an_empty_body_is_a_success(status: int, raw: bytes) -> None:
    headers = {"Content-Length": ""} if status == 204 else {}
    behaviour = answer(status=status, raw=b"" if status == 204 else raw, headers=headers)
    with misbehaving(behaviour) as server, client(server.url) as upstream:
        submit(upstream)
        update(upstream)
