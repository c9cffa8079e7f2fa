"""The same form sent with other content: the CV need not be chosen again, and each application has its own copy."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from portal.delivery.applications.kind import APPLICATION
from portal.delivery.envelopes import person, submissions
from portal.delivery.envelopes.receipt import ReceiptState
from portal.delivery.kinds import KINDS
from tests import builders
from tests.builders import Portal
from tests.site.apply.applicant import ADA, CV, Applicant, Page
from tests.site.apply.conftest import vacancy

OTHER = ("other.txt", b"Ada Lovelace, what came after the Analytical Engine.\n" * 5)


@dataclass
class RecordingConnection(httpx.BaseTransport):
    """The connection to the service, which records requests."""

    service: httpx.BaseTransport | None = None
    sent: list[dict[str, str]] = field(default_factory=list)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        assert self.service is not None
        if request.method == "POST":
            self.sent.append(json.loads(request.read()))
        return self.service.handle_request(request)


@pytest.fixture
def way() -> RecordingConnection:
    return RecordingConnection()


@pytest.fixture
def acme(tmp_path: Path, portal_url: str, way: RecordingConnection) -> Iterator[Portal]:
    made = builders.portal(tmp_path / "portal", database_url=portal_url, transport=way)
    way.service = made.service.transport
    made.add_tenant("acme", "Acme")
    made.service.load("acme", [vacancy("job-1", "Welder")])
    made.work.mirror_what_is_due()
    yield made
    made.parts.database.close()


def stored(acme: Portal) -> dict[str, bytes]:
    """Return every object by its key."""
    found = {}
    for key in acme.parts.store.keys("acme/"):
        with acme.parts.store.open(key) as file:
            found[key] = file.read()
    return found


def reference(address: str) -> str:
    return address.rsplit("/", 1)[1]


def send_stored(ada: Applicant) -> str:
    """Send an application whose CV was stored by an earlier post of its form; that page is still in the history."""
    ada.send(email="wrong")
    return ada.receipt(None)


def send_both(ada: Applicant, cv: tuple[str, bytes] | None) -> tuple[str, str]:
    """Send two applications from one form, with no file chosen after the 409; return their references."""
    first = send_stored(ada)
    page = ada.send(cv, city="Bonn")
    assert page.status == 409
    assert page.typed == {**ADA, "city": "Bonn"}
    assert (cv or CV)[0] in page.words
    assert "choose your CV again" not in page.notice
    return reference(first), reference(ada.receipt(None, city="Bonn"))


@pytest.mark.parametrize("cv", [None, CV, OTHER], ids=["stored", "the same again", "another one"])
def test_the_second_application_is_sent_with_its_own_attachment(
    acme: Portal, ada: Applicant, way: RecordingConnection, cv: tuple[str, bytes] | None
):
    first, second = send_both(ada, cv)
    assert first != second
    acme.work.deliver_what_is_due()
    berlin, bonn = sorted(way.sent, key=lambda one: str(one["location"]))
    assert "Berlin" in str(berlin["location"])
    assert berlin["cvAttachmentId"] != bonn["cvAttachmentId"]
    there = stored(acme)
    assert there[berlin["cvAttachmentId"]] == CV[1]
    assert there[bonn["cvAttachmentId"]] == (cv or CV)[1]


@pytest.mark.parametrize("cv", [None, OTHER], ids=["stored", "another one"])
def test_giving_up_one_keeps_the_others_file(
    acme: Portal, ada: Applicant, way: RecordingConnection, cv: tuple[str, bytes] | None
):
    first, second = send_both(ada, cv)
    parts = acme.parts
    assert submissions.discard(parts.database, KINDS, first, parts.clock)
    acme.work.run_housekeeping()
    acme.work.deliver_what_is_due()
    (sent,) = way.sent
    assert stored(acme) == {sent["cvAttachmentId"]: (cv or CV)[1]}
    assert submissions.find(parts.database, KINDS, second).delivered_at


@pytest.mark.parametrize("withdrawn", [0, 1], ids=["the first", "the second"])
def test_withdrawing_one_keeps_the_others_file(acme: Portal, ada: Applicant, way: RecordingConnection, withdrawn: int):
    references = send_both(ada, None)
    parts = acme.parts
    with parts.database.write() as connection:
        person.withdraw(
            connection,
            parts.seal,
            tenant="acme",
            kind=APPLICATION.name,
            email=ADA["email"],
            reference=references[withdrawn],
            now=parts.clock.now(),
        )
    acme.work.run_housekeeping()
    acme.work.deliver_what_is_due()
    (sent,) = way.sent
    assert stored(acme) == {sent["cvAttachmentId"]: CV[1]}
    states = {
        one.reference: one.state
        for one in person.sent_by(parts.database, parts.seal, tenant="acme", kind=APPLICATION.name, email=ADA["email"])
    }
    assert states[references[withdrawn]] is ReceiptState.WITHDRAWN
    assert states[references[1 - withdrawn]] is ReceiptState.SENT


def test_a_storage_outage_at_that_moment_loses_no_file(acme: Portal, ada: Applicant):
    first = send_stored(ada)
    folder = acme.folder / "attachments"
    aside = folder.rename(folder.with_name("aside"))
    folder.write_text("not a folder")
    page = ada.send(None, city="Bonn")
    assert page.status == 503
    assert page.typed == {**ADA, "city": "Bonn"}
    folder.unlink()
    aside.rename(folder)
    assert ada.send(None, city="Bonn").status == 409
    assert CV[0] in ada.page.words
    second = ada.receipt(None, city="Bonn")
    assert Page(ada.client.get(second)).status == 200
    assert second != first


def test_a_deleted_file_is_requested_again(acme: Portal, ada: Applicant):
    send_stored(ada)
    for key in stored(acme):
        acme.parts.store.delete(key)
    page = ada.send(None, city="Bonn")
    assert page.status == 409
    assert "choose your CV again" in page.notice
    assert CV[0] not in page.words
    assert ada.receipt(city="Bonn")
