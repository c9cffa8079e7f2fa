"""The OpenAPI document has a complete, working example of each operation."""

from urllib.parse import unquote

import jsonschema_rs
import pytest

from tests.site.embed.front_end import FrontEnd

Described = dict


@pytest.fixture
def described(front_end: FrontEnd) -> Described:
    with front_end.client() as client:
        found: Described = client.get("/openapi.json").json()
    return found


def operations(described: Described) -> list[Described]:
    return [operation for methods in described["paths"].values() for operation in methods.values()]


def fits(described: Described, schema: Described, example: object) -> None:
    whole = {**schema, "components": described["components"]}
    jsonschema_rs.validator_for(whole, validate_formats=True).validate(example)


def test_every_response_and_body_has_an_example_that_matches_its_schema(described: Described):
    for operation in operations(described):
        (success,) = (answer for status, answer in operation["responses"].items() if status.startswith("2"))
        content = success["content"]["application/json"]
        fits(described, content["schema"], content["example"])
        bodies = operation.get("requestBody", {}).get("content", {})
        assert not bodies or any("example" in body for body in bodies.values())
        if "application/json" in bodies:
            fits(described, bodies["application/json"]["schema"], bodies["application/json"]["example"])
    problem = described["components"]["schemas"]["Problem"]
    fits(described, problem, problem["examples"][0])


def test_an_example_has_all_members(described: Described):
    for operation in operations(described):
        for answer in operation["responses"].values():
            content = answer["content"].get("application/json")
            if content:
                schema = described["components"]["schemas"][content["schema"]["$ref"].rpartition("/")[2]]
                assert set(content["example"]) == set(schema["properties"])


def test_the_examples_of_both_posts_create_an_application(front_end: FrontEnd, described: Described):
    upload, apply = (
        next(each for each in operations(described) if each["operationId"] == name) for name in ("uploadCv", "apply")
    )
    headers = {each["name"]: each["example"] for each in upload["parameters"] if each["in"] == "header"}
    file = upload["requestBody"]["content"]["application/octet-stream"]["example"]
    body = apply["requestBody"]["content"]["application/json"]["example"]
    with front_end.client() as client:
        stored = client.post("/acme/uploads", content=file.encode(), headers=headers)
        assert stored.status_code == 201
        body["cvAttachmentId"] = stored.json()["cvAttachmentId"]
        sent = client.post("/acme/vacancy-portal/jobs/job-1", json=body)
    assert sent.status_code == 202
    assert unquote(headers["Content-Disposition"]).endswith("履歴書.txt")


def test_the_documentation_page_shows_the_examples(front_end: FrontEnd):
    with front_end.client() as client:
        page = client.get("/api").text
    assert "filename*=UTF-8&#39;&#39;%E5%B1%A5" in page
    assert "&#34;cvAttachmentId&#34;: &#34;0123456789abcdef" in page
