"""Code requests count for the requesting network, so strangers do not use up a candidate's quota."""

from collections.abc import Iterator

import httpx
import pytest

from tests.builders import Portal
from tests.site.account.candidate import ADA, Visitor, code_in, mailbox
from tests.site.account.test_a_new_address_is_confirmed_before_it_is_sent import NEW, ask_to_add, post

HERS, HIS = "198.51.100.7", "203.0.113.9"

behind_a_proxy = pytest.mark.parametrize("acme", [{"trusted_proxies": 1}], indirect=True)


def visitor(acme: Portal, network: str = HERS) -> Visitor:
    return Visitor(acme, headers={"X-Forwarded-For": network})


def ask_in_her_name(acme: Portal, times: int, networks: int = 1) -> list[int]:
    """Return the statuses that a stranger gets, from one network or from many."""
    return [answer.status_code for answer in asked(acme, ADA, times, networks)]


def asked(acme: Portal, address: str, times: int, networks: int) -> Iterator[httpx.Response]:
    """Send one form repeatedly."""
    stranger = visitor(acme)
    form = stranger.get("/profile")
    for n in range(times):
        stranger.client.headers["X-Forwarded-For"] = f"203.0.{n % networks}.9"
        yield stranger.post("/profile", form, email=address)
        acme.work.deliver_what_is_due()


@behind_a_proxy
def test_her_code_works_after_a_hundred_requests_by_a_stranger(acme: Portal):
    ada = visitor(acme)
    ada.ask(ADA)
    code = code_in(mailbox(acme)[-1])
    ask_in_her_name(acme, 100)
    assert ada.enter(code).status_code == 303


@behind_a_proxy
def test_a_code_requested_from_her_own_network_arrives(acme: Portal):
    assert ask_in_her_name(acme, 100) == [303] * 5 + [429] * 95
    ada = visitor(acme)
    assert ada.ask(ADA).status_code == 303
    assert len(mailbox(acme)) == 6
    assert ada.enter(code_in(mailbox(acme)[-1])).status_code == 303


@behind_a_proxy
def test_a_household_is_one_network_with_any_of_its_addresses(acme: Portal):
    of_a_48 = [visitor(acme, f"2001:db8:7:{n:x}::1").ask(ADA).status_code for n in range(8)]
    of_a_24 = [visitor(acme, f"192.0.2.{n}").ask(ADA).status_code for n in range(8)]
    assert of_a_48 == of_a_24 == [303] * 5 + [429] * 3


@behind_a_proxy
def test_many_strangers_see_the_same_pages_and_her_code_works(acme: Portal):
    ada = visitor(acme)
    ada.ask(ADA)
    code = code_in(mailbox(acme)[-1])
    assert set(ask_in_her_name(acme, 70, networks=70)) == {303}
    assert len(mailbox(acme)) == 60
    assert ada.ask(ADA).status_code == 303
    assert len(mailbox(acme)) == 60
    assert ada.enter(code).status_code == 303


@behind_a_proxy
def test_meanwhile_a_browser_that_signed_in_before_gets_a_new_code(acme: Portal):
    visitor(acme).sign_in()
    acme.parts.clock.pass_time(86_400)
    ask_in_her_name(acme, 70, networks=70)
    ada = visitor(acme)
    before = len(mailbox(acme))
    ada.ask(ADA)
    assert len(mailbox(acme)) == before + 1
    assert ada.enter(code_in(mailbox(acme)[-1])).status_code == 303


@behind_a_proxy
def test_an_unknown_address_beyond_its_quota_gets_the_same_response(acme: Portal):
    pages = []
    for address in (ADA, "nobody@people.example"):
        *_, answer = asked(acme, address, 62, networks=62)
        pages.append((answer.status_code, answer.headers["location"], sorted(answer.headers)))
    assert pages[0] == pages[1]


def test_many_applications_in_one_evening_do_not_prevent_signing_in(acme: Portal):
    from tests.site.apply.applicant import Applicant

    with acme.browser() as client:
        applicant = Applicant(client)
        for n in range(12):
            applicant.open()
            applicant.receipt(firstName=f"Ada{n}", email=ADA)
    acme.work.deliver_what_is_due()
    assert len(mailbox(acme)) == 5
    Visitor(acme).sign_in()


@behind_a_proxy
def test_codes_for_a_new_address_have_the_same_limits(acme: Portal):
    ada = visitor(acme)
    ada.sign_in()
    prove = ask_to_add(ada)
    acme.work.deliver_what_is_due()
    code = code_in(mailbox(acme)[-1])
    assert len([*asked(acme, NEW, 70, networks=70)]) == 70
    assert "Received" in post(ada, prove, code=code).page.words
