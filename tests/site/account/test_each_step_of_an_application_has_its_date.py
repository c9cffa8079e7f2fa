"""My applications shows the day of each step, with "today" and "yesterday" in the page's language."""

from portal.delivery.envelopes import submissions
from portal.delivery.kinds import KINDS
from tests.builders import Portal
from tests.site.account.candidate import Visitor
from tests.site.account.conftest import FILE
from tests.site.account.test_a_candidate_follows_and_withdraws_applications import STATUS, apply, at_stage
from tests.site.apply.applicant import Page, words

DAY = 86_400


def steps(page: Page) -> list[str]:
    return [words(step) for step in page.by_class("timeline")[0]]


def test_a_step_is_dated_today_then_yesterday_and_then_with_its_date(acme: Portal, ada: Visitor):
    apply(acme)
    acme.work.deliver_what_is_due()
    for age, said in enumerate(("today at", "yesterday at", "1 June 2026")):
        ada.sign_in()
        page = ada.get("/profile/applications")
        received, with_acme = steps(page)
        assert said in received, age
        assert said in with_acme
        assert page.words.count("Time zone: ") == 1
        acme.parts.clock.pass_time(DAY)


def test_an_undelivered_application_shows_since_when(acme: Portal, ada: Visitor):
    reference = apply(acme)
    acme.parts.clock.pass_time(DAY)
    assert submissions.discard(acme.parts.database, KINDS, reference, acme.parts.clock)
    ada.sign_in()
    received, ended = steps(ada.get("/profile/applications"))
    assert "yesterday at" in received
    assert ended.startswith("Not delivered today at")


def test_dates_are_in_the_language_of_the_page(acme: Portal, ada: Visitor):
    acme.write_tenant("acme", "Acme", FILE + '[site]\nlocales = ["en", "de"]\n')
    acme.parts.clock.pass_time(1)
    apply(acme)
    ada.sign_in()
    assert "heute um" in steps(ada.get("/profile/applications?lang=de"))[0]


def test_days_end_in_the_companys_time_zone(acme: Portal, ada: Visitor):
    acme.write_tenant("acme", "Acme", FILE + '[site]\ntimezone = "Pacific/Auckland"\n')
    acme.parts.clock.pass_time(11 * 3_600)  # 23:00 in UTC, 11:00 of the next day in Auckland
    apply(acme)
    acme.parts.clock.pass_time(2 * 3_600)
    ada.sign_in()
    assert "today at 11:00" in steps(ada.get("/profile/applications"))[0]


def test_the_companys_step_has_the_date_of_its_latest_activity(acme: Portal, ada: Visitor):
    acme.write_tenant("acme", "Acme", STATUS)
    acme.parts.clock.pass_time(1)
    apply(acme)
    acme.work.deliver_what_is_due()
    at_stage(acme, "Phone screen")
    ada.sign_in()
    assert steps(ada.get("/profile/applications"))[-1] == "First conversation Last updated: 2 June 2026"
