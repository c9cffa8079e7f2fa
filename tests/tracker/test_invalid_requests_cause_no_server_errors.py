"""Every error response is a problem document (RFC 9457), and none has status 500."""

import pytest

from tests.tracker.office import Office, submission

JSON = {"Content-Type": "application/json"}


def post(office: Office, content: bytes, headers: dict[str, str] | None = None):
    vacancy = office.add_vacancy()
    return office.public.post(
        f"/acme/vacancy-portal/jobs/{vacancy}", content=content, headers=JSON if headers is None else headers
    )


def is_problem(answer, status: int) -> None:
    assert answer.status_code == status, answer.text
    assert answer.headers["Content-Type"] == "application/problem+json"
    problem = answer.json()
    assert problem["status"] == status
    assert all(problem[name] for name in ("type", "title", "detail"))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe{}",
        '{"a":"é"}'.encode("latin-1"),
        '{"a": 1}'.encode("utf-16"),
        b'{"firstName": NaN}',
        b'{"a": 1e999}',
        b'{"a": ' + b"9" * 5_000 + b"}",
        b'{"firstName": "a\x00b"}',
    ],
)
def test_invalid_json_is_rejected(sqlite_office: Office, content: bytes):
    is_problem(post(sqlite_office, content), 400)


@pytest.mark.parametrize("content", [b"[" * 60_000, b'{"a":' * 5_000 + b"1" + b"}" * 5_000])
def test_deeply_nested_json_is_rejected(sqlite_office: Office, content: bytes):
    is_problem(post(sqlite_office, content), 413)


@pytest.mark.parametrize("content", [b"null", b"[]", b'"text"', b"5", b"true"])
def test_json_that_is_not_an_object_is_rejected(sqlite_office: Office, content: bytes):
    is_problem(post(sqlite_office, content), 422)


@pytest.mark.parametrize("escape", ["\\u0000", "\\ud800", "\\udfff", "a\\ud800b"])
def test_lone_surrogates_and_nul_are_rejected_with_their_location(office: Office, escape: str):
    answer = post(office, f'{{"location": {{"city": "{escape}"}}}}'.encode())
    is_problem(answer, 400)
    assert answer.json()["errors"][0]["pointer"] == "#/location/city"
    is_problem(post(office, f'{{"{escape}": 1}}'.encode()), 400)
    is_problem(
        office.recruiter.post(
            "/candidates",
            content=f'{{"firstName":"a","lastName":"b","customAttributes":[{{"value":["{escape}"]}}]}}'.encode(),
            headers=JSON,
        ),
        400,
    )


def test_a_surrogate_pair_is_one_character(office: Office):
    vacancy = office.add_vacancy()
    content = b'{"firstName":"\\ud83d\\ude00","lastName":"b"}'
    office.apply(vacancy)
    candidate = office.candidates()[0]["id"]
    answer = office.public.post(f"/acme/candidate-portal/{candidate}", content=content, headers=JSON)
    assert answer.status_code == 200
    assert office.candidates()[0]["name"]["firstName"] == "😀"


@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_other_content_types_are_rejected(sqlite_office: Office, kind: str | None):
    is_problem(post(sqlite_office, b"{}", {} if kind is None else {"Content-Type": kind}), 415)


def test_a_charset_parameter_is_accepted(sqlite_office: Office):
    is_problem(post(sqlite_office, b"{}", {"Content-Type": "application/json; charset=utf-8"}), 422)


def test_a_body_without_a_length_is_limited(sqlite_office: Office):
    def drip():
        for _ in range(200):
            yield b"x" * 10_000

    vacancy = sqlite_office.add_vacancy()
    path = f"/acme/vacancy-portal/jobs/{vacancy}"
    is_problem(sqlite_office.public.post(path, content=drip(), headers=JSON), 413)
    whole = iter([b'{"firstName": ', b'"A"}'])
    is_problem(sqlite_office.public.post(path, content=whole, headers=JSON), 422)


@pytest.mark.parametrize(
    ("method", "path"), [("PUT", "/vacancies"), ("DELETE", "/vacancies/x"), ("GET", "/acme/candidate-portal/x")]
)
def test_other_methods_are_rejected(sqlite_office: Office, method: str, path: str):
    answer = sqlite_office.recruiter.request(method, path)
    is_problem(answer, 405)
    assert answer.headers["Allow"]


@pytest.mark.parametrize("path", ["/nothing", "/vacancies/", "/vacancies//x", "/a/b/c/d/e", "/static/x", "/acme"])
def test_unknown_paths_are_not_found(sqlite_office: Office, path: str):
    is_problem(sqlite_office.recruiter.get(path), 404)


@pytest.mark.parametrize("known_as", ["none", "%00", "a%00b", "x" * 2_000, "%2e%2e", "'--", "%7f"])
def test_unusual_ids_are_not_found(office: Office, known_as: str):
    for path in ("/vacancies/{}", "/applications/{}", "/applications/vacancy/{}"):
        assert office.recruiter.get(path.format(known_as)).status_code == 404
    assert office.recruiter.get(f"/pipeline/applications/stages?templateId={known_as}").json() == {"stages": []}


def test_a_missing_database_is_reported(sqlite_office: Office):
    url = sqlite_office.database.url.removeprefix("sqlite:///")
    sqlite_office.database.close()
    with open(url, "r+b") as file:  # noqa: PTH123
        file.write(b"no database any more" * 400)
    assert sqlite_office.recruiter.get("/vacancies").status_code in {500, 503}
    assert sqlite_office.apply("x", **submission()).headers["Content-Type"] == "application/problem+json"
