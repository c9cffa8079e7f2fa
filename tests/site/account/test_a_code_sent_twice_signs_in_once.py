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


def test_the_second_leads_to_where_the_first_did(on_each: Portal):
    ada = Visitor(on_each)
    _, second = entered_twice(on_each, ada)
    assert second.status_code == 303
    assert second.headers["location"] == "/acme/profile/applications"
    assert "set-cookie" not in second.headers
    assert ada.get("/profile/edit").status == 200


def test_one_that_left_before_the_first_was_answered_does_too_and_opens_no_session_of_its_own(on_each: Portal):
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


def test_another_browser_gets_nowhere_with_it(on_each: Portal):
    code, _ = entered_twice(on_each, Visitor(on_each))
    stranger, asked = Visitor(on_each), Visitor(on_each)
    assert stranger.enter(code).status_code == 422
    asked.ask("somebody@people.example")
    assert asked.enter(code).status_code == 422


def test_who_is_signed_in_as_somebody_else_gets_nowhere_with_it(on_each: Portal):
    on_each.service.load(
        "acme", [candidate("graces-record", firstName="Grace", emails=[{"email": "grace@people.example"}])]
    )
    on_each.parts.clock.pass_time(100)
    on_each.work.index_what_is_due()
    grace = Visitor(on_each)
    grace.sign_in("grace@people.example")
    code, _ = entered_twice(on_each, Visitor(on_each))
    assert grace.enter(code).status_code == 422


def test_another_code_leads_nowhere(on_each: Portal):
    ada = Visitor(on_each)
    code, _ = entered_twice(on_each, ada)
    assert ada.enter(f"{(int(code) + 1) % 10**8:08d}").status_code == 422


def test_who_signed_out_since_gets_nowhere_with_it(on_each: Portal):
    ada = Visitor(on_each)
    code, _ = entered_twice(on_each, ada)
    ada.post("/profile/sign-out", ada.get("/profile/applications"))
    assert ada.enter(code).status_code == 422


def test_once_it_is_too_old_it_is(on_each: Portal):
    ada = Visitor(on_each)
    code, _ = entered_twice(on_each, ada)
    on_each.parts.clock.pass_time(timedelta(minutes=10).total_seconds())
    assert ada.enter(code).status_code == 422
    assert ada.get("/profile/edit").status == 200
