"""The service receives exactly the fields of the form, once, also after an outage of the service."""

import json
from collections.abc import Iterator
from pathlib import Path

import boto3
import httpx
import pytest

from tests import builders
from tests.builders import Portal
from tests.parts.files import real
from tests.site.apply.applicant import Applicant
from tests.site.apply.conftest import vacancy

REAL_CVS = ["cv.pdf", "cv.docx", "cv.odt", "cv.rtf", "cv.doc", "scan.pdf"]


class Relay(httpx.BaseTransport):
    """The connection to the service, which records requests. down: cuts it before anything is sent."""

    def __init__(self) -> None:
        self.down = False
        self.service: httpx.BaseTransport | None = None
        self.posts: list[httpx.Request] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self.down or self.service is None:
            raise httpx.ConnectError("refused", request=request)
        if request.method == "POST":
            request.read()
            self.posts.append(request)
        return self.service.handle_request(request)


@pytest.fixture
def relay() -> Relay:
    return Relay()


@pytest.fixture
def acme(tmp_path: Path, relay: Relay, request: pytest.FixtureRequest) -> Iterator[Portal]:
    made = builders.portal(tmp_path / "portal", transport=relay, **getattr(request, "param", {}))
    relay.service = made.service.transport
    made.add_tenant("acme", "Acme")
    made.service.load("acme", [vacancy("job-1", "Welder")])
    made.work.mirror_what_is_due()
    yield made
    made.parts.database.close()


def ask(acme: Portal, path: str) -> dict:
    with httpx.Client(transport=acme.service.transport, base_url="http://127.0.0.1") as client:
        answer = client.get(path, headers={"x-api-key": acme.keys["acme"]})
    assert answer.status_code == 200
    return answer.json()


def applications(acme: Portal) -> list[dict]:
    return ask(acme, "/applications/vacancy/job-1")["applications"]


def apply(acme: Portal, cv: tuple[str, bytes], **typed: str) -> httpx.Response:
    with acme.browser() as client:
        return Applicant(client).post(cv, **typed)


def test_the_service_shows_the_exact_fields(acme: Portal, relay: Relay):
    sent = apply(acme, ("cv.pdf", real("cv.pdf")), firstName=" José ", lastName="O'Brien", region="Berlin")
    assert sent.status_code == 303
    acme.work.deliver_what_is_due()
    (post,) = relay.posts

    body = json.loads(post.content)
    key = body.pop("cvAttachmentId")
    assert body == {
        "networkUrl": "https://network.example/in/ada",
        "firstName": "José",
        "lastName": "O'Brien",
        "email": "ada@people.example",
        "phoneNumber": "+49301234567",
        "location": {
            "type": "primary_home",
            "city": "Berlin",
            "region": "Berlin",
            "postalCode": "10115",
            "country": "DE",
        },
    }
    assert key.startswith("acme/")
    assert 1 <= len(key) <= 100
    reference = sent.headers["location"].rsplit("/", 1)[1]
    assert post.headers["idempotency-key"] == reference
    assert "x-api-key" not in post.headers
    assert "cookie" not in post.headers
    with acme.parts.store.open(key) as stored:
        assert stored.read() == real("cv.pdf")
    (application,) = applications(acme)
    assert application["candidate"]["emails"] == ["ada@people.example"]
    detail = ask(acme, f"/applications/{application['id']}")
    assert detail["candidateApplicationType"] == "standardApplication"
    assert detail["latestActivity"]["type"] == "applicationCreated"
    assert detail["latestActivity"]["isInbound"] is True


def test_empty_fields_are_null_or_left_out(acme: Portal, relay: Relay):
    empty = {"networkUrl": "", "city": "", "region": "", "postalCode": "", "country": ""}
    assert apply(acme, ("cv.pdf", real("cv.pdf")), **empty, phoneNumber="+33 1 42 68 53 00").status_code == 303
    acme.work.deliver_what_is_due()

    body = json.loads(relay.posts[0].content)
    assert body["networkUrl"] is None
    assert body["location"] == {"type": "primary_home"}


@pytest.mark.parametrize("name", REAL_CVS)
def test_cvs_of_all_common_programs_are_accepted(acme: Portal, name: str):
    assert apply(acme, (name, real(name))).status_code == 303
    acme.work.deliver_what_is_due()
    assert len(applications(acme)) == 1


def test_an_application_waits_for_an_unavailable_service(acme: Portal, relay: Relay):
    relay.down = True
    sent = apply(acme, ("cv.pdf", real("cv.pdf")))
    assert sent.status_code == 303
    acme.work.deliver_what_is_due()
    with acme.browser() as client:
        assert "Received" in client.get(sent.headers["location"]).text
    relay.down = False
    acme.parts.clock.pass_time(60)
    acme.work.deliver_what_is_due()
    assert len(applications(acme)) == 1
    with acme.browser() as client:
        assert "is with " in client.get(sent.headers["location"]).text


def test_a_temporarily_missing_tenant_file_loses_nothing(acme: Portal):
    sent = apply(acme, ("cv.pdf", real("cv.pdf")))
    file = acme.parts.settings.tenants / "acme.toml"
    text = file.read_text()
    file.unlink()
    acme.parts.clock.pass_time(1)
    acme.work.deliver_what_is_due()
    file.write_text(text)
    acme.parts.clock.pass_time(60)
    acme.work.deliver_what_is_due()
    assert sent.status_code == 303
    assert len(applications(acme)) == 1


def test_the_attachment_id_is_the_key_of_the_object_in_s3(tmp_path: Path, s3, relay: Relay):
    made = builders.portal(tmp_path / "s3", transport=relay, attachments=f"s3://{s3.bucket}", s3_endpoint=s3.endpoint)
    relay.service = made.service.transport
    made.add_tenant("acme", "Acme")
    made.service.load("acme", [vacancy("job-1", "Welder")])
    made.work.mirror_what_is_due()
    assert apply(made, ("Lebenslauf Ada.docx", real("cv.docx"))).status_code == 303
    made.work.deliver_what_is_due()

    key = json.loads(relay.posts[0].content)["cvAttachmentId"]
    client = boto3.client("s3", endpoint_url=s3.endpoint)
    found = client.get_object(Bucket=s3.bucket, Key=key)
    assert found["Body"].read() == real("cv.docx")
    assert found["ContentType"] == "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    assert "Lebenslauf" in found["ContentDisposition"]
    client.close()
    made.parts.database.close()
