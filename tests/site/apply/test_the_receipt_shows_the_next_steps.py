"""Receipt and email show the status, when the company responds, a contact, and other open jobs."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from portal.delivery.envelopes.tables import deliveries
from tests.builders import Portal
from tests.site.account.candidate import mailbox, text
from tests.site.apply.applicant import ADA, Applicant, Page, words
from tests.site.apply.conftest import vacancy

FILE = """
[publish]
stages = ["Open"]
[apply]
answer_within_days = 14
contact = "jobs+we@acme.example"
"""


def told(acme: Portal, file: str = FILE) -> None:
    acme.write_tenant("acme", "Acme", file)
    acme.parts.clock.pass_time(1)


def times(page: Page) -> list[str]:
    return [e.attrib["datetime"] for box in page.by_class("timeline") for e in box.iter("time")]


def test_the_receipt_is_a_timeline_with_standard_statuses(acme: Portal, ada: Applicant):
    address = ada.receipt()
    (steps,) = (Page(ada.client.get(address)).by_class("timeline"),)
    assert [words(e).partition(" 1 June")[0] for e in steps[0]] == ["Received", "With Acme not yet"]
    acme.parts.clock.pass_time(60)
    acme.work.deliver_what_is_due()
    page = Page(ada.client.get(address))
    assert [words(e).partition(" 1 June")[0] for e in page.by_class("timeline")[0]] == ["Received", "With Acme"]
    assert [e.get("aria-current") for e in page.by_class("timeline")[0]] == [None, "step"]
    received, with_acme = times(page)
    assert received < with_acme


def test_the_receipt_shows_the_response_date_and_the_contact(acme: Portal, ada: Applicant):
    told(acme)
    address = ada.receipt()
    page = Page(ada.client.get(address))
    assert "Acme will review your application and respond by 15 June 2026." in page.words
    (mailto,) = [a.attrib["href"] for a in page.all("a") if a.attrib["href"].startswith("mailto:")]
    reference = address.rsplit("/", 1)[1]
    assert mailto == f"mailto:jobs%2Bwe@acme.example?subject=Reference%3A%20{reference}"
    acme.work.deliver_what_is_due()
    assert "by 15 June 2026" in Page(ada.client.get(address)).words


@pytest.mark.parametrize(("late", "words"), [(0, "respond by"), (1, "was due to respond by 15 June 2026. If you")])
def test_the_receipt_says_when_the_response_date_has_passed(acme: Portal, ada: Applicant, late: int, words: str):
    told(acme)
    address = ada.receipt()
    acme.work.deliver_what_is_due()
    acme.parts.clock.sleep(timedelta(days=14, seconds=late).total_seconds())
    assert words in Page(ada.client.get(address)).words


def test_without_settings_no_date_is_promised(acme: Portal, ada: Applicant):
    page = Page(ada.client.get(ada.receipt()))
    assert "respond by" not in page.words
    assert "mailto:" not in page.text


def test_the_email_contains_the_same(acme: Portal, ada: Applicant):
    told(acme)
    reference = ada.receipt().rsplit("/", 1)[1]
    acme.work.deliver_what_is_due()
    (mail,) = mailbox(acme)
    html = mail.get_body(("html",)).get_content()
    for part in (text(mail), html):
        assert "Received" in part
        assert "With Acme" in part
        assert "Acme will review your application and respond by 15 June 2026." in part
        assert "jobs+we@acme.example" in part
    assert f"subject=Reference%3A%20{reference}" in html


def test_a_company_name_with_special_characters_is_unchanged_in_text_emails(acme: Portal, ada: Applicant):
    acme.write_tenant("acme", "Smith & <Sons>", FILE)
    acme.parts.clock.pass_time(1)
    ada.receipt()
    acme.work.deliver_what_is_due()
    (mail,) = mailbox(acme)
    assert "With Smith & <Sons>: not yet" in text(mail)
    assert "With Smith &amp; &lt;Sons&gt;" in mail.get_body(("html",)).get_content()


def test_similar_open_jobs_are_shown_without_the_one_applied_for(acme: Portal, ada: Applicant):
    page = Page(ada.client.get(ada.receipt()))
    assert "Similar open jobs" in page.words
    (similar,) = page.by_class("cards")
    assert [words(a) for a in similar.iter("a")] == ["Welder of bridges"]


def test_without_similar_jobs_none_are_shown(acme: Portal, ada: Applicant):
    acme.service.load("acme", [vacancy("job-2", "Baker")])
    acme.parts.clock.pass_time(3_600)
    acme.work.mirror_what_is_due()
    assert "Similar open jobs" not in Page(ada.client.get(ada.receipt())).words


def test_a_repeat_leads_to_the_first_receipt_which_says_so(acme: Portal, ada: Applicant):
    first = ada.receipt()
    assert "this is the receipt" not in Page(ada.client.get(first)).words
    acme.parts.clock.pass_time(2 * 86_400)
    ada.open()
    assert ada.receipt() == first
    page = Page(ada.client.get(first))
    assert "You applied for this job on 1 June 2026, and this is the receipt." in page.words
    assert "What you sent on 3 June 2026 was the same" in page.words


def test_the_receipt_of_a_repeat_leads_to_the_first_one(acme: Portal, ada: Applicant):
    first = ada.receipt()
    ada.open()
    ada.receipt()
    with acme.parts.database.read() as connection:
        query = sa.select(deliveries.c.reference).where(deliveries.c.duplicate_of.is_not(None))
        repeat = connection.execute(query).scalar_one()
    answer = ada.client.get(f"/acme/applications/{repeat}")
    assert (answer.status_code, answer.headers["location"]) == (303, first)


@pytest.mark.parametrize("unlike", [{"city": "Bonn"}, {"phoneNumber": "030 7654321"}, {"firstName": "Eve"}])
def test_a_stranger_who_knows_her_address_learns_nothing(acme: Portal, ada: Applicant, unlike: dict[str, str]):
    hers = ada.receipt()
    acme.work.deliver_what_is_due()
    with acme.browser() as client:
        eve = Applicant(client)
        theirs = eve.receipt(("cv.txt", b"Something that Eve wrote herself.\n" * 9), **unlike)
        with acme.browser() as another:
            of_nobody = Applicant(another).receipt(
                ("cv.txt", b"Something of somebody else's.\n" * 9), **{**unlike, "email": "new@people.example"}
            )
        assert len({hers, theirs, of_nobody}) == 3
        seen, unseen = (client.get(address).text for address in (theirs, of_nobody))
    for reference in (hers, theirs, of_nobody):
        seen, unseen = (page.replace(reference.rsplit("/", 1)[1], "REF") for page in (seen, unseen))
    assert seen == unseen
    assert ADA["email"] not in seen
