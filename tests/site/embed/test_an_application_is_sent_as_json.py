"""A tenant's own front end sends a CV and an application as JSON; it is delivered like one from the form."""

import httpx
import pytest

from portal.delivery.uploads.tables import uploads
from tests.site.apply.direct import rows
from tests.site.embed.front_end import CV, FILE, LISTED, FrontEnd, wrong


def arrived(front_end: FrontEnd, posting: str = "job-1") -> list[dict]:
    """Let the worker deliver; return the applications at the service."""
    portal = front_end.portal
    portal.work.deliver_what_is_due()
    with httpx.Client(transport=portal.service.transport, base_url="http://127.0.0.1") as recruiter:
        answer = recruiter.get(f"/applications/vacancy/{posting}", headers={"x-api-key": portal.keys["acme"]})
    return [one["candidate"] for one in answer.json()["applications"]]


def test_an_application_is_accepted_and_delivered_and_has_a_receipt(front_end_on_each):
    answer = front_end_on_each.send()
    assert answer.status_code == 202
    told = answer.json()
    assert told["receipt"] == f"http://127.0.0.1:8000/acme/applications/{told['reference']}"
    assert answer.headers["Cache-Control"] == "no-store"
    (candidate,) = arrived(front_end_on_each)
    assert (candidate["firstName"], candidate["emails"]) == ("Ada", ["ada@people.example"])
    with front_end_on_each.client() as browser:
        assert "is with Acme" in browser.get(told["receipt"]).text


@pytest.mark.parametrize("way", ["raw", "multipart"])
def test_the_cv_is_stored_under_a_handle_that_is_not_its_storage_key(front_end, way):
    with front_end.client() as client:
        if way == "raw":
            named = {"Content-Disposition": "attachment; filename*=UTF-8''L%C3%A9a.txt", "Content-Type": "text/plain"}
            answer = client.post("/acme/uploads", content=CV, headers=named)
        else:
            answer = client.post("/acme/uploads", files={"cv": ("Léa.txt", CV, "text/plain")})
    assert answer.status_code == 201
    told = answer.json()
    assert set(told) == {"cvAttachmentId", "expiresAt"}
    assert 1 <= len(told["cvAttachmentId"]) <= 100
    (stored,) = (front_end.portal.folder / "attachments" / "acme").iterdir()
    assert [one.media_type for one in rows(front_end.portal, uploads)] == ["text/plain"]
    assert stored.name not in told["cvAttachmentId"]
    assert front_end.sent(cvAttachmentId=told["cvAttachmentId"])


def test_the_same_request_again_is_the_same_application(front_end_on_each):
    handle = front_end_on_each.handle()
    assert front_end_on_each.sent(cvAttachmentId=handle) == front_end_on_each.sent(cvAttachmentId=handle)
    assert len(arrived(front_end_on_each)) == 1


def test_a_handle_is_used_by_one_application(front_end_on_each):
    handle = front_end_on_each.handle()
    front_end_on_each.sent(cvAttachmentId=handle)
    for other in (
        front_end_on_each.send(cvAttachmentId=handle, firstName="Grace"),
        front_end_on_each.send("job-2", cvAttachmentId=handle),
    ):
        assert other.status_code == 409
        assert "already used" in other.json()["detail"]
    assert len(arrived(front_end_on_each)) == 1


def test_a_key_is_one_application_even_if_the_cv_was_uploaded_again(front_end_on_each):
    first = front_end_on_each.sent(key="7d1f")
    assert front_end_on_each.sent(key="7d1f") == first
    assert front_end_on_each.send(key="7d1f", firstName="Grace").status_code == 409
    assert front_end_on_each.send("job-2", key="7d1f").status_code == 409
    assert front_end_on_each.sent("job-2", key="7d20") != first
    assert len(arrived(front_end_on_each)) == 1


def test_a_key_of_an_invalid_request_can_be_used_again(front_end_on_each):
    handle = front_end_on_each.handle()
    assert front_end_on_each.send(cvAttachmentId=handle, key="a", email="ada").status_code == 422
    assert front_end_on_each.sent(cvAttachmentId=handle, key="b")
    assert front_end_on_each.send(cvAttachmentId=handle, key="c").status_code == 422, "it belongs to the key b by now"


@pytest.mark.parametrize(("key", "status"), [("k" * 255, 202), ("k" * 256, 400), ("a b", 400)])
def test_the_length_of_a_key_is_limited(front_end, key, status):
    assert front_end.send(key=key).status_code == status


def test_every_invalid_member_is_named_with_a_remedy(front_end):
    answer = front_end.send(
        firstName=" ", email="ada", phoneNumber="12", location={"country": "XX", "city": "a\u202eb"}, networkUrl="x y"
    )
    assert answer.status_code == 422
    told = wrong(answer)
    assert set(told) == {
        "#/firstName",
        "#/email",
        "#/phoneNumber",
        "#/networkUrl",
        "#/location/country",
        "#/location/city",
    }
    assert told["#/email"] == "Enter an email address, like name@example.com."
    assert all(sentence[-1] in ".?" for sentence in told.values())
    assert "ada" not in answer.text


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"firstName": ...}, "#/firstName"),
        ({"firstName": 7}, "#/firstName"),
        ({"networkUrl": ...}, "#/networkUrl"),
        ({"location": ...}, "#/location"),
        ({"location": {"street1": "Main Street 1"}}, "#/location/street1"),
        ({"salary": 5}, "#/salary"),
        ({"firstName": "x" * 101}, "#/firstName"),
        ({"consent": "yes"}, "#/consent"),
        ({"cvAttachmentId": "acme/abc"}, "#/cvAttachmentId"),
        ({"cvAttachmentId": "0" * 64}, "#/cvAttachmentId"),
    ],
    ids=str,
)
def test_a_body_of_another_type_is_rejected(front_end, change, pointer):
    answer = front_end.send(**change)
    assert answer.status_code == 422
    assert list(wrong(answer)) == [pointer]


def test_names_have_the_length_limit_of_the_form(front_end):
    assert front_end.send(firstName="x" * 100).status_code == 202


def test_optional_members_can_be_left_out(front_end):
    assert front_end.send(networkUrl=None, location={}).status_code == 202


def test_consent_is_given_where_it_is_required(front_end):
    front_end.portal.write_tenant("acme", "Acme", FILE + 'consent = "You may keep it."\n')
    front_end.portal.parts.clock.pass_time(2)
    for change in ({}, {"consent": False}, {"consent": None}):
        assert set(wrong(front_end.send(**change))) == {"#/consent"}
    assert front_end.send(consent=True).status_code == 202


def test_an_error_does_not_delete_the_cv(front_end_on_each):
    handle = front_end_on_each.handle()
    assert front_end_on_each.send(cvAttachmentId=handle, email="ada").status_code == 422
    assert front_end_on_each.send(cvAttachmentId=handle).status_code == 202


def test_a_handle_belongs_to_one_company(front_end):
    front_end.portal.add_tenant("globex", "Globex", FILE)
    front_end.portal.parts.clock.pass_time(2)
    with front_end.client() as client:
        handle = client.post("/globex/uploads", content=CV).json()["cvAttachmentId"]
    assert set(wrong(front_end.send(cvAttachmentId=handle))) == {"#/cvAttachmentId"}


@pytest.mark.parametrize(
    ("cv", "status"),
    [(b"x" * 20_000, 201), (b"x" * 20_001, 413), (b"x" * 3_000_000, 413), (b"", 422), (b"\x00\x01\x02" * 50, 422)],
    ids=["the most", "a byte more", "far more", "empty", "no document"],
)
def test_files_have_the_rules_of_the_form(front_end, cv, status):
    answer = front_end.store(cv)
    assert answer.status_code == status
    if status != 201:
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert answer.json()["detail"].endswith(".")


def test_an_unclaimed_upload_is_deleted_at_the_stated_time(front_end):
    handle = front_end.handle()
    front_end.portal.parts.clock.pass_time(86_401)
    front_end.portal.work.run_housekeeping()
    assert set(wrong(front_end.send(cvAttachmentId=handle))) == {"#/cvAttachmentId"}


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"{", "application/json", 400),
        (b'{"firstName": "\\ud800"}', "application/json", 400),
        (b"\xff\xfe", "application/json", 400),
        (b"[]", "application/json", 422),
        (b"[" * 100_000, "application/json", 413),
        (b'{"a": "' + b"x" * 262_137 + b'"}', "application/json", 413),
        (b"firstName=Ada", "application/x-www-form-urlencoded", 415),
        (b"{}", "text/plain", 415),
    ],
)
def test_a_body_without_json_is_a_problem_response(front_end, content, kind, status):
    with front_end.client() as client:
        answer = client.post("/acme/vacancy-portal/jobs/job-1", content=content, headers={"Content-Type": kind})
    assert answer.status_code == status
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_unknown_and_closed_jobs_are_distinguished(front_end):
    handle = front_end.handle()
    assert front_end.send("nope", cvAttachmentId=handle).status_code == 404
    portal = front_end.portal
    from tests.site.apply.conftest import vacancy

    portal.service.load(
        "acme",
        [vacancy("job-1", "W", stage={"viewType": "vacancyStage", "stage": {"id": "c", "order": 2, "name": "Filled"}})],
    )
    portal.parts.clock.pass_time(61)
    portal.work.mirror_what_is_due()
    assert front_end.send(cvAttachmentId=handle).status_code == 410


def test_one_network_may_send_as_many_as_by_the_form(front_end):
    handle = front_end.handle()
    for _ in range(100):
        assert front_end.send(cvAttachmentId=handle, email="ada").status_code == 422
    answer = front_end.send(cvAttachmentId=handle)
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) >= 1
    with front_end.client() as client:
        form = client.post("/acme/jobs/job-1/apply", files={"cv": ("", b"")})
    assert form.status_code == 429, "they are counted together"


def test_one_network_may_store_no_more_than_by_the_form(front_end):
    for _ in range(100):
        assert front_end.store(b"").status_code == 422
    assert front_end.store().status_code == 429


@pytest.mark.parametrize(
    ("headers", "taken"),
    [
        ({}, True),
        ({"Origin": LISTED, "Sec-Fetch-Site": "cross-site"}, True),
        ({"Origin": "http://127.0.0.1:8000", "Sec-Fetch-Site": "same-origin"}, True),
        ({"Origin": "https://evil.example"}, False),
        ({"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}, False),
        ({"Sec-Fetch-Site": "cross-site"}, False),
        ({"Origin": "null", "Sec-Fetch-Site": "cross-site"}, False),
        ({"Origin": "http://www.acme.example", "Sec-Fetch-Site": "cross-site"}, False),
    ],
    ids=str,
)
def test_only_listed_sites_and_servers_may_send(front_end, headers, taken):
    handle = front_end.handle()
    scripts = FrontEnd(front_end.portal, headers)
    stored, sent = scripts.store(), scripts.send(cvAttachmentId=handle)
    assert (stored.status_code, sent.status_code) == ((201, 202) if taken else (403, 403))
    allowed = LISTED if headers.get("Origin") == LISTED else None
    assert (
        sent.headers.get("Access-Control-Allow-Origin") == stored.headers.get("Access-Control-Allow-Origin") == allowed
    )


def test_a_preflight_request_names_the_permitted_headers(front_end):
    for path, method in (
        ("/acme/uploads", "POST"),
        ("/acme/vacancy-portal/jobs/job-1", "POST"),
        ("/acme/jobs.json", "GET"),
    ):
        asked = {"Access-Control-Request-Method": method, "Access-Control-Request-Headers": "content-type"}
        with front_end.client() as client:
            told = client.options(path, headers={**asked, "Origin": LISTED})
            other = client.options(path, headers={**asked, "Origin": "https://evil.example"})
            nobody = client.options(path.replace("acme", "nobody"), headers={**asked, "Origin": LISTED})
        assert told.status_code == 200
        assert told.headers["Access-Control-Allow-Origin"] == LISTED
        assert method in told.headers["Access-Control-Allow-Methods"]
        assert "Content-Type" in told.headers["Access-Control-Allow-Headers"]
        assert "Access-Control-Allow-Origin" not in other.headers
        assert "Access-Control-Allow-Origin" not in nobody.headers


def test_twenty_concurrent_requests_are_one_application(front_end_on_each):
    from concurrent.futures import ThreadPoolExecutor

    handles = [front_end_on_each.handle() for _ in range(8)]
    with ThreadPoolExecutor(8) as clicks:
        found = set(clicks.map(lambda handle: front_end_on_each.sent(cvAttachmentId=handle, key="k"), handles))
    assert len(found) == 1
