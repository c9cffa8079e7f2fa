"""A double click that sends the code twice signs in once, and only in that browser."""

from datetime import timedelta

import httpx

from tests.builders import Portal
from tests.site.account.candidate import Visitor, candidate, code_in, mailbox


def entered_twice(portal: Portal, ada: Visitor) -> tuple[str, httpx.Response]:
    ada.ask()
    code, page = code_in(mailbox(portal)[-1]), ada.get("/profile/code")
    assert ada.post("/profile/code", page, code=code).status_code == 303
    return code, ada.post("/profile/code", page, code=code)


def test_the_second_submission_leads_to_the_same_page(on_each: Portal):
    ada = Visitor(on_each)
    _, second = entered_twice(on_each, ada)
    assert second.status_code == 303
    assert second.headers["location"] == "/acme/profile/applications"
    assert "set-cookie" not in second.headers
    assert ada.get("/profile/edit").status == 200


def test_a_concurrent_second_submission_leads_there_without_a_session_of_its_own(on_each: Portal):
    ada, early = Visitor(on_each), Visitor(on_each)
    ada.ask()
    early.client.cookies = httpx.Cookies(ada.client.cookies)
    code = code_in(mailbox(on_each)[-1])
    assert ada.enter(code).status_code == 303
    second = early.enter(code)
    assert second.headers["location"] == "/acme/profile/applications"
    assert "set-cookie" not in second.headers
    assert early.client.get("/acme/profile/applications").headers["location"] == "/acme/profile"
    assert ada.get("/profile/edit").status == 200


def test_another_browser_cannot_use_the_code_again(on_each: Portal):
    code, _ = entered_twice(on_each, Visitor(on_each))
    stranger, asked = Visitor(on_each), Visitor(on_each)
    assert stranger.enter(code).status_code == 422
    asked.ask("somebody@people.example")
    assert asked.enter(code).status_code == 422


def test_somebody_signed_in_as_another_person_cannot_use_the_code_again(on_each: Portal):
    on_each.service.load(
        "acme", [candidate("graces-record", firstName="Grace", emails=[{"email": "grace@people.example"}])]
    )
    on_each.parts.clock.pass_time(100)
    on_each.work.index_what_is_due()
    grace = Visitor(on_each)
    grace.sign_in("grace@people.example")
    code, _ = entered_twice(on_each, Visitor(on_each))
    assert grace.enter(code).status_code == 422


def test_another_code_does_not_sign_in(on_each: Portal):
    ada = Visitor(on_each)
    code, _ = entered_twice(on_each, ada)
    assert ada.enter(f"{(int(code) + 1) % 10**8:08d}").status_code == 422


def test_the_code_cannot_be_used_again_after_signing_out(on_each: Portal):
    ada = Visitor(on_each)
    code, _ = entered_twice(on_each, ada)
    ada.post("/profile/sign-out", ada.get("/profile/applications"))
    assert ada.enter(code).status_code == 422


def test_the_code_cannot_be_used_again_after_it_expired(on_each: Portal):
    ada = Visitor(on_each)
    code, _ = entered_twice(on_each, ada)
    on_each.parts.clock.pass_time(timedelta(minutes=10).total_seconds())
    assert ada.enter(code).status_code == 422
    assert ada.get("/profile/edit").status == 200
