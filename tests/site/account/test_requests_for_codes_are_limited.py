"""Requests for codes are limited by address, mailbox, network and tenant."""

import pytest

from portal.platform.clock import SystemClock
from portal.platform.rate_limits import Throttle
from portal.site.forms.rate_limits import hit_code_request_limits
from tests.builders import Portal
from tests.site.account.candidate import ADA, Visitor, code_in, mailbox
from tests.told_clock import ToldClock


def test_one_address_gets_at_most_five_emails_from_any_number_of_networks(acme: Portal):
    for _ in range(30):
        Visitor(acme).ask(ADA)
    assert len(mailbox(acme)) == 5


def test_another_spelling_of_the_address_has_the_same_quota(acme: Portal):
    for spelling in ("ada", "ADA", "Ada", "aDa", "adA", "ADa", "aDA", "AdA"):
        Visitor(acme).ask(f"{spelling}@people.example")
    assert len(mailbox(acme)) == 5


def test_a_plus_suffix_has_the_same_quota(acme: Portal):
    for number in range(20):
        Visitor(acme).ask(f"ada+{number}@people.example")
    assert len(mailbox(acme)) == 10


def test_several_companies_share_the_quota_of_a_mailbox(acme: Portal):
    for slug in ("globex", "initech", "hooli"):
        acme.add_tenant(slug, slug.capitalize())
    acme.parts.clock.pass_time(1)
    acme.work.index_what_is_due()
    for slug in ("acme", "globex", "initech", "hooli"):
        for _ in range(4):
            Visitor(acme, slug).ask(ADA)
    assert len(mailbox(acme)) == 10


def test_a_network_may_request_five_hundred_codes_an_hour():
    throttle = Throttle("memory:", SystemClock())
    pauses = [
        hit_code_request_limits(throttle, tenant="acme", address=str(n), mailbox=str(n), remote_address="198.51.100.7")
        for n in range(501)
    ]
    assert pauses[:500] == [None] * 500
    assert pauses[500]
    assert (
        hit_code_request_limits(
            throttle, tenant="acme", address="other", mailbox="other", remote_address="198.51.100.8"
        )
        is None
    )


@pytest.mark.parametrize("backend", ["memory", "redis"])
def test_a_tenant_sends_three_thousand_codes_an_hour_the_last_fifth_to_new_networks(
    request: pytest.FixtureRequest, backend: str
):
    throttle = Throttle("memory:" if backend == "memory" else request.getfixturevalue("redis").url, ToldClock())

    def ask(number: int, address: str, tenant: str = "three-thousand") -> int | None:
        one = f"{backend}-{number}"
        return hit_code_request_limits(throttle, tenant=tenant, address=one, mailbox=one, remote_address=address)

    attackers = [f"2001:{number % 24:x}:{number // 24}::1" for number in range(2_400)]
    assert [ask(number, address) for number, address in enumerate(attackers)] == [None] * 2_400
    assert ask(9_000, attackers[0])
    newcomers = [ask(10_000 + number, f"2400:{number:x}::1") for number in range(601)]
    assert newcomers[:600] == [None] * 600
    assert newcomers[600]
    assert ask(1, "198.51.100.8", "globex") is None


@pytest.mark.verify
def test_a_network_may_try_a_thousand_codes_an_hour(acme: Portal):
    ada = Visitor(acme)
    ada.ask(ADA)
    form = ada.get("/profile/code")
    tried = [ada.post("/profile/code", form, code="00000000").status_code for _ in range(1_001)]
    assert set(tried[:1_000]) == {422}
    assert tried[1_000] == 429


def test_a_code_without_the_pages_token_is_not_tried(acme: Portal):
    ada = Visitor(acme)
    ada.ask(ADA)
    right = code_in(mailbox(acme)[-1])
    for _ in range(6):
        assert ada.client.post("/acme/profile/code", files={"code": (None, right)}).status_code == 422
    assert ada.enter(right).status_code == 303
