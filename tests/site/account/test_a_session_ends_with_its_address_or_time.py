"""A session gives access to a record while its address is in it, and for a limited time."""

from tests.builders import Portal
from tests.site.account.candidate import ADA, Visitor, candidate
from tests.site.account.test_an_erasure_covers_all_addresses_of_a_profile import TWO, WORK, reindex

HALF_A_DAY = 12 * 3_600


def test_a_session_in_constant_use_ends_after_half_a_day(ada: Visitor, acme: Portal):
    ada.sign_in()
    for _ in range(HALF_A_DAY // 1_200 - 1):
        acme.parts.clock.pass_time(1_200)
        assert ada.client.get("/acme/profile/applications").status_code == 200
    acme.parts.clock.pass_time(1_200)
    assert ada.client.get("/acme/profile/applications").status_code == 303


def test_a_session_ends_when_another_address_of_the_profile_signs_in(acme: Portal):
    acme.service.load("acme", [candidate(emails=TWO)])
    reindex(acme)
    at_work, at_home = Visitor(acme), Visitor(acme)
    at_work.sign_in(WORK)
    at_home.sign_in(ADA)
    assert at_home.client.get("/acme/profile/edit").status_code == 200
    assert at_work.client.get("/acme/profile/edit").status_code == 303


def test_an_address_removed_from_the_profile_cannot_see_its_recent_activity(acme: Portal):
    acme.service.load("acme", [candidate(emails=TWO)])
    reindex(acme)
    at_work = Visitor(acme)
    at_work.sign_in(WORK)
    assert "signed in with a code" in at_work.get("/profile/data").words
    acme.service.load("acme", [candidate()])
    reindex(acme)
    assert "signed in with a code" not in at_work.get("/profile/data").words
    assert at_work.client.get("/acme/profile/edit").status_code == 404
