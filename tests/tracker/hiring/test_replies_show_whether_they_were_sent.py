"""Each reply shows whether the mail server accepted it; a rejected email is not shown as a reply sent."""

from portal.adapters.mail.message import Message
from portal.platform.errors import MailRefused
from tests.tracker.hiring.applicants import apply
from tests.tracker.hiring.site import RECRUITER, HiringBrowser, HiringSite


def reply(site: HiringSite) -> tuple[HiringBrowser, str]:
    one = apply(site, site.office.add_vacancy(name="Welder"))
    recruiter = site.signed_in(RECRUITER)
    recruiter.get("/account")
    words = {"subject": "Come", "body": "Soon", "kind": "invitation", "locale": "en"}
    recruiter.post("/reply", to=one, then="send", **words)
    return recruiter, f"/applications/{one}"


def test_an_accepted_email_is_shown_as_sent(hiring: HiringSite):
    recruiter, page = reply(hiring)
    recruiter.get(page)
    assert "Sent Come" not in recruiter.words
    hiring.mails.send_what_is_due()
    recruiter.get(page)
    assert "Sent Come" in recruiter.words


def test_a_rejected_email_is_shown_as_not_sent(hiring_on_both: HiringSite):
    site = hiring_on_both
    recruiter, page = reply(site)

    def refuse(_message: Message) -> None:
        raise MailRefused("550 no such mailbox")

    site.outbox.send = refuse  # type: ignore[method-assign]  a mail server that rejects everything
    site.mails.send_what_is_due()
    recruiter.get(page)
    assert "Not sent yet Come" in recruiter.words
    for _ in range(4):  # until it gives up
        site.mails.send_what_is_due()
        site.office.clock.pass_time(2 * 86_400)  # type: ignore[attr-defined]  the clock of tests
    del site.outbox.send  # type: ignore[method-assign]  it accepts everything again
    for days in (0, 10):  # longer than the outbox keeps them
        site.office.clock.pass_time(days * 86_400)  # type: ignore[attr-defined]  as above
        site.mails.run_housekeeping()
        recruiter = site.signed_in(RECRUITER)
        recruiter.get(page)
        assert "Not delivered Come" in recruiter.words
