"""One response lists all errors of an application, with codes that do not depend on the language."""

import httpx
import pytest

from tests.site.embed.front_end import CV, FILE, FrontEnd

GERMAN = FILE.replace("[embed]", '[site]\nlocales = ["en", "de"]\n[embed]')


def codes(answer: httpx.Response) -> dict[str, str]:
    assert answer.status_code == 422
    assert answer.json()["code"] == "invalid"
    return {one["pointer"]: one["code"] for one in answer.json()["errors"]}


def test_errors_of_schema_and_fields_are_reported_together(front_end: FrontEnd):
    answer = front_end.send(
        firstName=7,
        lastName=...,
        email="ada",
        phoneNumber="12",
        networkUrl="ftp://network.example",
        cvAttachmentId="0" * 64,
        location={"country": "XX", "street1": "Main Street 1"},
        salary=5,
    )
    assert codes(answer) == {
        "#/firstName": "wrong_type_or_value",
        "#/lastName": "missing",
        "#/email": "invalid_email",
        "#/phoneNumber": "phone_short",
        "#/networkUrl": "link_scheme",
        "#/cvAttachmentId": "cv_gone",
        "#/location/country": "unknown_country",
        "#/location/street1": "unknown_member",
        "#/salary": "unknown_member",
    }


def test_missing_consent_is_reported_with_the_others(front_end: FrontEnd):
    front_end.portal.write_tenant("acme", "Acme", FILE + 'consent = "You may keep it."\n')
    front_end.portal.parts.clock.pass_time(2)
    assert codes(front_end.send(email="ada", salary=5)) == {
        "#/consent": "missing",
        "#/email": "invalid_email",
        "#/salary": "unknown_member",
    }


def test_messages_are_in_the_requested_language_and_codes_are_not(front_end: FrontEnd):
    front_end.portal.write_tenant("acme", "Acme", GERMAN)
    front_end.portal.parts.clock.pass_time(2)
    english, german = (front_end.send(email="ada", salary=5, query=query) for query in ("", "?lang=de"))
    assert codes(english) == codes(german)
    told = {one["pointer"]: one["detail"] for one in german.json()["errors"]}
    assert told["#/email"] == "Geben Sie eine E-Mail-Adresse wie name@example.com ein."
    assert german.json()["detail"] != english.json()["detail"]


@pytest.mark.parametrize(
    ("cv", "status", "code"),
    [
        (b"", 422, "missing"),
        (b"x" * 20_001, 413, "too_large"),
        (b"x" * 3_000_000, 413, "too_large"),
        (b"\x00\x01\x02" * 50, 422, "wrong_type"),
        (b"%PDF-1.7 " + CV, 422, "damaged"),
    ],
)
def test_a_rejected_file_has_a_code(front_end: FrontEnd, cv: bytes, status: int, code: str):
    answer = front_end.store(cv)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert [(one["pointer"], one["code"]) for one in answer.json()["errors"]] == [("#", code)]


def test_every_other_error_has_a_code(front_end: FrontEnd):
    handle = front_end.handle()
    front_end.sent(cvAttachmentId=handle)
    with front_end.client() as client:
        answers = [
            client.post("/acme/vacancy-portal/jobs/job-1", content=b"{", headers={"Content-Type": "application/json"}),
            client.post("/acme/vacancy-portal/jobs/job-1", content=b"{}"),
            client.delete("/acme/jobs.json"),
            client.get("/acme/jobs/nope.json"),
            front_end.send(key="a b"),
            front_end.send(cvAttachmentId=handle, firstName="Grace"),
            FrontEnd(front_end.portal, {"Origin": "https://evil.example"}).store(),
        ]
    assert [answer.json()["code"] for answer in answers] == [
        "unreadable",
        "unsupported_type",
        "method_not_allowed",
        "not_found",
        "invalid_idempotency_key",
        "different_content",
        "origin_not_listed",
    ]
