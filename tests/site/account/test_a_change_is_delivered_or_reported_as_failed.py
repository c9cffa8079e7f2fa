"""Changes with an unavailable or rejecting service, a crashed worker, or a failing scanner."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa

from portal.delivery.envelopes.tables import deliveries
from tests import builders
from tests.builders import Portal
from tests.site.account.candidate import CANARY, Form, Visitor, at_service, candidate, mailbox, text
from tests.site.account.conftest import FILE
from tests.site.account.test_a_candidate_changes_her_profile import CV, confirm
from tests.site.apply.applicant import Page
from tests.site.apply.conftest import vacancy


class Relay(httpx.BaseTransport):
    """The connection to the service. down: cuts it; refuse: answers changes with that status; lose: drops responses."""

    def __init__(self) -> None:
        self.service: httpx.BaseTransport | None = None
        self.down = self.lose = False
        self.refuse: int | None = None
        self.posts: list[httpx.Request] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self.down or self.service is None:
            raise httpx.ConnectError("refused", request=request)
        if request.method != "POST":
            return self.service.handle_request(request)
        request.read()
        self.posts.append(request)
        if self.refuse:
            return httpx.Response(self.refuse, json={})
        answer = self.service.handle_request(request)
        if self.lose:
            answer.close()
            raise httpx.ReadError("cut", request=request)
        return answer


@pytest.fixture
def relay() -> Relay:
    return Relay()


@pytest.fixture
def acme(tmp_path: Path, relay: Relay) -> Iterator[Portal]:
    made = builders.portal(tmp_path / "portal", transport=relay)
    relay.service = made.service.transport
    made.add_tenant("acme", "Acme", FILE)
    made.service.load("acme", [vacancy("job-1", "Welder"), candidate()])
    made.work.index_what_is_due()
    yield made
    made.parts.database.close()


def state(ada: Visitor, change: str) -> str:
    return next(e.attrib["data-state"] for e in Page(ada.client.get(change)).root.iter() if "data-state" in e.attrib)


def stored(acme: Portal) -> str | None:
    """Return the encrypted contents of the change."""
    with acme.parts.database.read() as connection:
        return connection.execute(sa.select(deliveries.c.sealed)).scalar_one()


def test_exactly_the_body_of_the_interface_is_sent(acme: Portal, ada: Visitor, relay: Relay):
    ada.sign_in()
    change = confirm(ada, ada.form().press(firstName="Augusta"))
    acme.work.deliver_what_is_due()
    (post,) = relay.posts
    assert post.url.path == f"/acme/candidate-portal/{CANARY}"
    assert json.loads(post.content) == {
        "firstName": "Augusta",
        "lastName": "Lovelace",
        "emails": [{"purpose": "personal", "email": "ada@people.example", "isPrimary": True}],
        "phoneNumbers": [{"purpose": "carrier pigeon", "phoneNumber": "+49301234567", "isPrimary": True}],
        "socialMedia": [{"url": "network.example/ada", "type": "ODD_NETWORK", "isPrimary": False}],
    }
    assert post.headers["idempotency-key"] == change.rsplit("/", 1)[1]
    assert "x-api-key" not in post.headers
    assert "cookie" not in post.headers
    assert stored(acme) is None


def test_a_change_waits_for_an_unavailable_service(acme: Portal, ada: Visitor, relay: Relay):
    ada.sign_in()
    change = confirm(ada, ada.form().press(firstName="Augusta"))
    relay.down = True
    acme.work.deliver_what_is_due()
    assert state(ada, change) == "received"
    unavailable = ada.get("/profile/edit")
    assert unavailable.status == 503
    assert unavailable.headers["retry-after"]
    relay.down = False
    acme.parts.clock.pass_time(60)
    acme.work.deliver_what_is_due()
    assert state(ada, change) == "sent"


def test_typed_text_is_kept_when_the_service_becomes_unavailable(ada: Visitor, relay: Relay):
    ada.sign_in()
    form = ada.form()
    relay.down = True
    away = form.press(firstName="Augusta")
    assert away.page.status == 503
    assert away.page.typed["firstName"] == "Augusta"
    relay.down = False
    confirm(ada, away.press())


def test_a_lost_response_causes_no_second_change(acme: Portal, ada: Visitor, relay: Relay):
    ada.sign_in()
    change = confirm(ada, ada.form().press(firstName="Augusta"))
    relay.lose = True
    acme.work.deliver_what_is_due()
    assert state(ada, change) == "received"
    relay.lose = False
    acme.parts.clock.pass_time(acme.parts.settings.delivery_ambiguous_delay + 1)
    ada.sign_in()
    acme.work.deliver_what_is_due()
    assert state(ada, change) == "sent"
    assert at_service(acme)[0]["name"]["firstName"] == "Augusta"
    assert len({post.headers["idempotency-key"] for post in relay.posts}) == 1


def test_a_rejected_change_is_reported_to_candidate_and_operator(acme: Portal, ada: Visitor, relay: Relay):
    ada.sign_in()
    change = confirm(ada, ada.form().press(firstName="Augusta"))
    relay.refuse = 422
    for _ in range(4):
        acme.work.deliver_what_is_due()
        acme.parts.clock.pass_time(86_400 * 2)
    ada.sign_in()
    assert state(ada, change) == "refused"
    letters = {str(one["To"]): one for one in mailbox(acme) if "could not be delivered" in one["Subject"]}
    assert set(letters) == {"ada@people.example", "jobs@acme.example"}
    assert change.rsplit("/", 1)[1] in text(letters["jobs@acme.example"])
    assert "Augusta" not in text(letters["jobs@acme.example"])
    assert stored(acme), "an operator may send it again"
    assert "still on its way" not in ada.get("/profile/edit").words


def test_a_change_waits_until_its_cv_is_scanned(tmp_path: Path, clamd):
    made = builders.portal(tmp_path / "scanned", scanner=clamd.address)
    made.add_tenant("acme", "Acme", FILE)
    made.service.load("acme", [candidate()])
    made.work.index_what_is_due()
    ada = Visitor(made)
    ada.sign_in()
    change = confirm(ada, Form(ada, Page(ada.form().send(CV, firstName="Augusta"))))
    made.work.deliver_what_is_due()
    assert state(ada, change) == "received"
    made.work.scan_held_files()
    made.work.deliver_what_is_due()
    assert state(ada, change) == "sent"
    made.parts.database.close()


def test_a_change_with_a_detected_threat_is_not_delivered_and_the_candidate_is_notified(tmp_path: Path, clamd):
    from tests.parts.clamd import EICAR

    made = builders.portal(tmp_path / "scanned", scanner=clamd.address)
    made.add_tenant("acme", "Acme", FILE)
    made.service.load("acme", [candidate()])
    made.work.index_what_is_due()
    ada = Visitor(made)
    ada.sign_in()
    change = confirm(ada, Form(ada, Page(ada.form().send(("cv.txt", EICAR), firstName="Augusta"))))
    made.work.scan_held_files()
    made.work.deliver_what_is_due()
    assert state(ada, change) == "refused"
    assert at_service(made)[0]["name"]["firstName"] == "Ada"
    assert any("could not be delivered" in one["Subject"] for one in mailbox(made))
    made.parts.database.close()
