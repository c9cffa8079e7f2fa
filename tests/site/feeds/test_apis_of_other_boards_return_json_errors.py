"""The APIs of other boards accept a final slash, and answer errors with JSON."""

import json

import pytest

from tests.site.feeds.company import BOARDS, LONG, Company, vacancy


@pytest.fixture
def acme(sqlite_acme: Company) -> Company:
    sqlite_acme.publish(vacancy("one", "One", LONG))
    return sqlite_acme


@pytest.mark.parametrize("path", [*BOARDS, "/v1/boards/acme/jobs/one", "/v0/postings/acme/one"])
def test_a_final_slash_makes_no_difference(acme: Company, path: str):
    bare, mark, query = path.partition("?")
    assert acme.json(f"{bare}/{mark}{query}") == acme.json(path)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/boards/nobody/jobs", {"status": 404, "error": "Not Found"}),
        ("/v1/boards/acme/jobs/a.b", {"status": 404, "error": "Not Found"}),
        ("/v1/nothing", {"status": 404, "error": "Not Found"}),
        ("/v0/postings/nobody", {"ok": False, "error": "Not Found"}),
        ("/v0/", {"ok": False, "error": "Not Found"}),
        ("/v0/postings/acme/a/b", {"ok": False, "error": "Not Found"}),
    ],
)
def test_not_found_is_reported_as_json(acme: Company, path: str, body: dict[str, object]):
    for host in (None, "jobs.acme.example"):
        if host:
            acme.file(more=f'hosts = ["{host}"]\n')
        answer = acme.get(path, **({"Host": host} if host else {}))
        assert answer.status_code == 404
        assert answer.headers["Content-Type"] == "application/json; charset=utf-8"
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert json.loads(answer.content) == body


def test_people_still_get_a_page(acme: Company):
    answer = acme.get("/acme/v1/nothing/else")
    assert answer.headers["Content-Type"].startswith("text/html")
