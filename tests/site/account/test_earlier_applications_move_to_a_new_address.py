"""After a change of address, earlier deliveries belong to the new address only.

This happens once the former address can no longer undo the change; on SQLite and on PostgreSQL."""

import json

from portal.delivery.envelopes import submissions
from portal.delivery.kinds import KINDS
from tests.builders import Portal
from tests.site.account.candidate import ADA, Visitor, at_service, candidate, code_in, mailbox, text
from tests.site.account.test_a_candidate_changes_her_profile import confirm
from tests.site.account.test_a_new_address_is_confirmed_before_it_is_sent import NEW, post
from tests.site.account.test_an_erasure_covers_all_addresses_of_a_profile import TWO, WORK, reindex, send_emails_only
from tests.site.apply.applicant import Applicant

THIRD = "countess@people.example"
GRACE = "grace@people.example"


def apply(portal: Portal, address: str, cv: bytes = b"What she did so far. ") -> str:
    with portal.browser() as client:
        receipt = Applicant(client).receipt(("cv.txt", cv * 20), email=address)
    portal.work.deliver_what_is_due()
    return receipt.rsplit("/", 1)[1]


def move(portal: Portal, visitor: Visitor, new: str, box: int = 0) -> str:
    """Replace an address, enter its code, and deliver the change; return the address of the change."""
    prove = post(visitor, visitor.form().press(**{f"emails-{box}-email": new}))
    portal.work.deliver_what_is_due()
    sent = post(visitor, prove, code=code_in(mailbox(portal)[-1]))
    assert "Received" in sent.page.words
    portal.work.deliver_what_is_due()
    return sent.page.words


def signed_in(portal: Portal, address: str) -> Visitor:
    portal.parts.clock.pass_time(1_000)
    visitor = Visitor(portal)
    visitor.sign_in(address)
    return visitor


def over(portal: Portal) -> None:
    """Let the time pass in which the change can be undone."""
    portal.parts.clock.pass_time(72 * 3_600)
    portal.work.run_housekeeping()
    reindex(portal)


def moved(portal: Portal) -> tuple[str, str]:
    """Two applications of Ada's, and her profile with another address."""
    sent = apply(portal, ADA), apply(portal, ADA, b"Another CV of hers. ")
    move(portal, signed_in(portal, ADA), NEW)
    over(portal)
    return sent


def applications(visitor: Visitor) -> str:
    return visitor.get("/profile/applications").text


def erase(visitor: Visitor) -> None:
    assert visitor.post("/profile/erase", visitor.get("/profile/erase")).status_code == 200


def is_erased(portal: Portal, reference: str) -> bool:
    found = submissions.find(portal.parts.database, KINDS, reference)
    assert found is not None
    return found.purged_at is not None


def test_she_sees_and_exports_her_earlier_applications(on_each: Portal):
    sent = moved(on_each)
    at_new = signed_in(on_each, NEW)
    assert all(reference in applications(at_new) for reference in sent)
    data = json.loads(at_new.client.get("/acme/profile/data.json").text)
    assert {one["reference"] for one in data["applications"]} == set(sent)
    assert len(data["changes"]) == 1


def test_an_erasure_deletes_them(on_each: Portal):
    sent = moved(on_each)
    erase(signed_in(on_each, NEW))
    assert all(is_erased(on_each, reference) for reference in sent)


def test_she_withdraws_one_and_sees_her_earlier_requests(on_each: Portal):
    first, second = apply(on_each, ADA), apply(on_each, ADA, b"Another CV of hers. ")
    ada = signed_in(on_each, ADA)
    ada.post(f"/profile/applications/{first}/withdraw")
    move(on_each, ada, NEW)
    over(on_each)
    at_new = signed_in(on_each, NEW)
    at_new.post(f"/profile/applications/{second}/withdraw")
    data = json.loads(at_new.client.get("/acme/profile/data.json").text)
    assert {one["application"] for one in data["requests"]} == {first, second}
    assert is_erased(on_each, first)
    assert is_erased(on_each, second)


def test_the_session_continues_with_the_confirmed_address(on_each: Portal):
    apply(on_each, ADA)
    ada = signed_in(on_each, ADA)
    move(on_each, ada, NEW)
    page = ada.get("/profile/edit")
    assert page.status == 200
    assert page.typed["emails-0-email"] == NEW
    assert "a…@people.example" in page.words
    data = json.loads(ada.client.get("/acme/profile/data.json").text)
    assert data["email"] == NEW
    reindex(on_each)
    assert ada.get("/profile/edit").status == 200


def test_the_new_address_gets_a_code_immediately(on_each: Portal):
    move(on_each, signed_in(on_each, ADA), NEW)
    Visitor(on_each).ask(NEW)
    assert code_in(mailbox(on_each)[-1])


def test_a_later_reader_of_the_former_address_sees_none_of_it(on_each: Portal):
    sent = moved(on_each)
    on_each.service.load("acme", [candidate("somebody-else", firstName="Adam")])
    reindex(on_each)
    later = apply(on_each, ADA, b"What Adam did. ")
    at_old, at_new = signed_in(on_each, ADA), signed_in(on_each, NEW)
    assert later in applications(at_old)
    assert later not in applications(at_new)
    assert not any(reference in applications(at_old) for reference in sent)
    assert at_old.client.get(f"/acme/profile/applications/{sent[0]}/withdraw").status_code == 404
    erase(at_old)
    assert not is_erased(on_each, sent[0])
    erase(at_new)
    assert is_erased(on_each, sent[0])


def test_several_changes_in_a_row_and_back_lose_nothing(on_each: Portal):
    sent = moved(on_each)
    for old, new in [(NEW, THIRD), (THIRD, ADA)]:
        move(on_each, signed_in(on_each, old), new)
        over(on_each)
        at_new = signed_in(on_each, new)
        assert all(reference in applications(at_new) for reference in sent)
        Visitor(on_each).ask(old)
        assert "There is no such profile" in text(mailbox(on_each)[-1])


def test_applications_sent_from_an_address_added_and_removed_later_are_hers_too(on_each: Portal):
    first = apply(on_each, ADA)
    ada = signed_in(on_each, ADA)
    form = ada.form().press(do="emails.add")
    prove = post(ada, form.press(**{"emails-1-email": NEW}))
    on_each.work.deliver_what_is_due()
    post(ada, prove, code=code_in(mailbox(on_each)[-1]))
    on_each.work.deliver_what_is_due()
    reindex(on_each)
    assert first in applications(ada)
    at_new = signed_in(on_each, NEW)
    assert first not in applications(at_new)
    confirm(at_new, at_new.form().press(do="emails.remove.0").press(**{"emails-0-isPrimary": "yes"}))
    on_each.work.deliver_what_is_due()
    assert [one["email"] for one in at_service(on_each)[0]["emails"]["emails"]] == [NEW]
    over(on_each)
    assert first in applications(signed_in(on_each, NEW))


def test_an_address_that_never_signed_in_keeps_its_own_applications(on_each: Portal):
    """The company added the address, and nothing proves that it is hers."""
    on_each.service.load("acme", [candidate(emails=TWO)])
    reindex(on_each)
    theirs, hers = apply(on_each, WORK), apply(on_each, ADA, b"What Ada did. ")
    ada = signed_in(on_each, ADA)
    confirm(ada, ada.form().press(do="emails.remove.1").press())
    on_each.work.deliver_what_is_due()
    assert len(at_service(on_each)[0]["emails"]["emails"]) == 1
    assert hers in applications(ada)
    assert theirs not in applications(ada)


def test_in_a_shared_mailbox_one_person_gets_nothing_of_the_other(on_each: Portal):
    on_each.service.load("acme", [candidate("charles", firstName="Charles", lastName="Babbage")])
    reindex(on_each)
    shared = apply(on_each, ADA)
    ada = signed_in(on_each, ADA)
    page = ada.get("/profile/record")
    choices = [one.attrib["value"] for one in page.all("input") if one.get("name") == "record"]
    ada.post("/profile/record", page, record=choices[0])
    move(on_each, ada, NEW)
    reindex(on_each)
    over(on_each)
    assert shared not in applications(signed_in(on_each, NEW))
    assert shared in applications(signed_in(on_each, ADA))


def test_nothing_of_another_person_is_moved(on_each: Portal):
    graces = apply(on_each, GRACE)
    moved(on_each)
    at_new = signed_in(on_each, NEW)
    assert graces not in applications(at_new)
    erase(at_new)
    assert not is_erased(on_each, graces)


def test_a_repeat_from_the_former_address_belongs_to_the_first_application(on_each: Portal):
    first, _ = moved(on_each)
    assert apply(on_each, ADA) == first
    at_new = signed_in(on_each, NEW)
    data = json.loads(at_new.client.get("/acme/profile/data.json").text)
    assert len(data["applications"]) == 3
    at_new.post(f"/profile/applications/{first}/withdraw")
    assert apply(on_each, ADA) != first


def test_nothing_is_moved_before_the_change_is_delivered(on_each: Portal):
    sent = apply(on_each, ADA)
    ada = signed_in(on_each, ADA)
    prove = post(ada, ada.form().press(**{"emails-0-email": NEW}))
    on_each.work.deliver_what_is_due()
    post(ada, prove, code=code_in(mailbox(on_each)[-1]))
    assert sent in applications(ada)
    erase(ada)
    assert is_erased(on_each, sent)
    on_each.work.deliver_what_is_due()
    assert at_service(on_each)[0]["emails"]["emails"][0]["email"] == ADA


def test_a_session_that_did_not_confirm_the_new_address_ends(on_each: Portal):
    ada, other = signed_in(on_each, ADA), Visitor(on_each)
    prove = post(ada, ada.form().press(**{"emails-0-email": NEW}))
    on_each.work.deliver_what_is_due()
    post(ada, prove, code=code_in(mailbox(on_each)[-1]))
    send_emails_only(on_each)
    other.post("/profile", email=ADA)
    send_emails_only(on_each)
    assert other.enter(code_in(mailbox(on_each)[-1])).status_code == 303
    on_each.work.deliver_what_is_due()
    page = other.get("/profile/edit")
    assert page.status == 404
    assert "sign in with that one" in page.words
