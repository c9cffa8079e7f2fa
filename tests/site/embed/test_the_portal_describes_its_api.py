"""The OpenAPI document and its page are generated from the routes and their models."""

import json

import jsonschema_rs
import pytest

from tests.parts.html import HtmlChecker
from tests.site.browse.jobs import Careers, vacancy
from tests.site.embed.front_end import FrontEnd

OPERATIONS = {
    ("get", "/{slug}/jobs.json"),
    ("get", "/{slug}/jobs/{postingId}.json"),
    ("post", "/{slug}/uploads"),
    ("post", "/{slug}/vacancy-portal/jobs/{postingId}"),
}


def schema(described: dict, name: str) -> dict:
    return {"$ref": f"#/components/schemas/{name}", "components": described["components"]}


def fits(described: dict, name: str, answer: object) -> None:
    jsonschema_rs.validator_for(schema(described, name), validate_formats=True).validate(answer)


def test_every_operation_is_described(acme: Careers):
    described = acme.get("/openapi.json").json()
    assert described["openapi"] == "3.1.0"
    found = {(method, path) for path, methods in described["paths"].items() for method in methods}
    assert found >= OPERATIONS


def test_responses_are_as_described(acme: Careers):
    described = acme.get("/openapi.json").json()
    acme.publish(vacancy("j1", "Welder", salary={"currency": "EUR", "min": 1, "max": 2}), vacancy("j2", "Painter"))
    fits(described, "Jobs", acme.get("/acme/jobs.json?limit=1").json())
    fits(described, "WholeJob", acme.get("/acme/jobs/j1.json").json())
    fits(described, "Problem", acme.get("/acme/jobs/nope.json").json())


def test_requests_and_their_responses_are_as_described(front_end: FrontEnd):
    with front_end.client() as client:
        described = client.get("/openapi.json").json()
    fits(described, "Stored", front_end.store().json())
    answer = front_end.send()
    fits(described, "ApplicationBody", json.loads(answer.request.content))
    fits(described, "Accepted", answer.json())
    fits(described, "Problem", front_end.send(email="ada").json())


def test_the_description_is_the_same_on_a_companys_own_host(acme: Careers):
    there = acme.get("/openapi.json", Host="careers.acme.example")
    assert there.json() == acme.get("/openapi.json").json()


def test_the_documentation_page_is_valid_html(acme: Careers, html: HtmlChecker):
    page = acme.get("/api")
    assert page.status_code == 200
    for method, path in OPERATIONS:
        assert f"{method.upper()} {path}" in page.text
    assert "Idempotency-Key" in page.text
    assert html.validate(page.text) == []


@pytest.mark.parametrize("path", ["/openapi.json", "/api"])
def test_the_description_names_no_company(acme: Careers, path: str):
    assert "acme" not in acme.get(path).text.lower()
