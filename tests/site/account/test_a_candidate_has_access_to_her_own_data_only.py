"""Ids and references of other people in path, query, form, JSON or cookie give no access."""

import httpx

from tests.builders import Portal
from tests.site.account.candidate import CANARY, Visitor, at_service, candidate
from tests.site.account.test_a_candidate_changes_her_profile import confirm
from tests.site.apply.applicant import Applicant

EVE = "eve@people.example"


def eve(acme: Portal) -> Visitor:
    acme.service.load(
        "acme",
        [candidate("eves-id", firstName="Eve", emails=[{"email": EVE, "purpose": "personal", "isPrimary": True}])],
    )
    acme.parts.clock.pass_time(61)
    acme.work.index_what_is_due()
    visitor = Visitor(acme)
    visitor.sign_in(EVE)
    return visitor


def names(acme: Portal) -> dict[str, str]:
    return {one["id"]: one["name"]["firstName"] for one in at_service(acme)}


def test_another_candidates_id_anywhere_in_a_request_has_no_effect(acme: Portal):
    visitor = eve(acme)
    form = visitor.form()
    review = form.press(firstName="Mallory", candidateId=CANARY, id=CANARY, candidate=CANARY, record=CANARY)
    visitor.client.cookies.set("candidate", CANARY)
    fields = {**review.page.hidden, "candidateId": CANARY, "id": CANARY, "candidate": CANARY}
    visitor.client.post(
        f"/acme/profile/edit?candidateId={CANARY}&id={CANARY}", files={k: (None, v) for k, v in fields.items()}
    )
    for path in (f"/profile/edit/{CANARY}", f"/profile/{CANARY}", f"/profile/changes/{CANARY}"):
        assert visitor.client.get(visitor.at(path)).status_code == 404
    assert visitor.client.post("/acme/profile/edit", json={"candidateId": CANARY, "firstName": "X"}).status_code == 422
    acme.work.deliver_what_is_due()
    assert names(acme) == {CANARY: "Ada", "eves-id": "Mallory"}


def test_another_persons_change_is_not_found(acme: Portal, ada: Visitor):
    ada.sign_in()
    change = confirm(ada, ada.form().press(firstName="Augusta"))
    visitor = eve(acme)
    assert visitor.client.get(change).status_code == 404
    again = visitor.client.get(f"/acme/profile/edit?again={change.rsplit('/', 1)[1]}")
    assert "Augusta" not in again.text
    assert Visitor(acme).client.get(change).status_code == 303


def test_another_persons_application_can_be_neither_viewed_nor_withdrawn(acme: Portal):
    with acme.browser() as client:
        reference = Applicant(client).receipt(email="ada@people.example").rsplit("/", 1)[1]
    visitor = eve(acme)
    assert reference not in visitor.client.get("/acme/profile/applications").text
    assert reference not in visitor.client.get("/acme/profile/data.json").text
    path = f"/acme/profile/applications/{reference}/withdraw"
    assert visitor.client.get(path).status_code == 404
    token = visitor.get("/profile/edit").hidden["token"]
    answer: httpx.Response = visitor.client.post(path, files={"token": (None, token)})
    assert answer.status_code == 404
