"""If the record has changed in the meantime, both versions are shown and nothing is sent."""

from tests.builders import Portal
from tests.site.account.candidate import Form, Visitor, at_service, candidate, mailbox, text
from tests.site.account.test_a_candidate_changes_her_profile import confirm
from tests.site.apply.applicant import Page


def recruiter_renames_her(acme: Portal) -> None:
    acme.service.load("acme", [candidate(lastName="Byron")])


def test_both_versions_are_shown_before_the_review(acme: Portal, ada: Visitor):
    ada.sign_in()
    form = ada.form()
    recruiter_renames_her(acme)
    both = form.press(firstName="Augusta")
    assert both.page.status == 409
    assert both.page.typed["firstName"] == "Augusta"
    assert both.page.typed["lastName"] == "Lovelace"
    assert "Byron" in both.page.words
    confirm(ada, both.press())
    acme.work.deliver_what_is_due()
    assert at_service(acme)[0]["name"]["lastName"] == "Lovelace"


def test_both_versions_are_shown_between_review_and_sending(acme: Portal, ada: Visitor):
    ada.sign_in()
    review = ada.form().press(firstName="Augusta")
    recruiter_renames_her(acme)
    answer = ada.client.post("/acme/profile/edit", files={k: (None, v) for k, v in review.page.hidden.items()})
    assert answer.status_code == 409
    acme.work.deliver_what_is_due()
    assert at_service(acme)[0]["name"]["lastName"] == "Byron"


def test_a_queued_change_is_stopped_and_the_candidate_is_notified_with_both_versions(acme: Portal, ada: Visitor):
    ada.sign_in()
    change = confirm(ada, ada.form().press(firstName="Augusta"))
    recruiter_renames_her(acme)
    acme.work.deliver_what_is_due()
    assert at_service(acme)[0]["name"]["firstName"] == "Ada"
    page = Page(ada.client.get(change))
    assert "Not sent" in page.words
    assert "not sent" in mailbox(acme)[-1]["Subject"]
    assert "/acme/profile" in text(mailbox(acme)[-1])
    (link,) = [a.attrib["href"] for a in page.all("a") if "again=" in a.get("href", "")]
    both = Form(ada, Page(ada.client.get(link)))
    assert both.page.typed["firstName"] == "Augusta"
    assert "Byron" in both.page.words
    confirm(ada, both.press(lastName="Byron"))
    acme.work.deliver_what_is_due()
    name = at_service(acme)[0]["name"]
    assert (name["firstName"], name["lastName"]) == ("Augusta", "Byron")
