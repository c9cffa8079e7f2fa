"""A new address needs a code that is sent to it, and the old address is notified."""

from tests.builders import Portal
from tests.site.account.candidate import ADA, Form, Visitor, at_service, candidate, code_in, mailbox, text
from tests.site.apply.applicant import Page

NEW = "augusta@people.example"


def ask_to_add(ada: Visitor, address: str = NEW) -> Form:
    """Add an address; return the page that asks for its code."""
    form = ada.form().press(do="emails.add")
    review = form.press(**{"emails-1-email": address})
    assert "Before your changes are sent" in review.page.words
    return post(ada, review)


def post(ada: Visitor, form: Form, **more: str) -> Form:
    fields = {**form.page.hidden, **more}
    answer = ada.client.post(ada.at("/profile/edit"), files={k: (None, v) for k, v in fields.items()})
    if answer.status_code == 303:
        answer = ada.client.get(answer.headers["location"])
    return Form(ada, Page(answer))


def emails(acme: Portal) -> list[str]:
    return [one["email"] for one in at_service(acme)[0]["emails"]["emails"]]


def test_a_code_confirms_the_new_address_and_the_old_one_is_notified(acme: Portal, ada: Visitor):
    ada.sign_in()
    prove = ask_to_add(ada)
    acme.work.deliver_what_is_due()
    assert emails(acme) == [ADA]
    letter = mailbox(acme)[-1]
    assert letter["To"] == NEW
    sent = post(ada, prove, code=code_in(letter))
    assert "Received" in sent.page.words
    acme.work.deliver_what_is_due()
    assert emails(acme) == [ADA, NEW]
    told = mailbox(acme)[-1]
    assert told["To"] == ADA
    assert "is being added" in text(told)
    assert NEW not in text(told)


def test_nothing_is_sent_without_the_correct_code(acme: Portal, ada: Visitor):
    ada.sign_in()
    prove = ask_to_add(ada)
    acme.work.deliver_what_is_due()
    right = code_in(mailbox(acme)[-1])
    wrong = post(ada, prove, code=f"{(int(right) + 1) % 10**8:08d}")
    assert wrong.page.status == 422
    skipped = post(ada, prove, step="send")
    assert "Confirm your new email address" in skipped.page.words
    acme.work.deliver_what_is_due()
    assert emails(acme) == [ADA]


def test_a_code_for_one_address_confirms_no_other(acme: Portal, ada: Visitor):
    ada.sign_in()
    prove = ask_to_add(ada)
    acme.work.deliver_what_is_due()
    code = code_in(mailbox(acme)[-1])
    other = post(ada, prove, code=code, proving="victim@people.example", **{"emails-1-email": "victim@people.example"})
    assert "Confirm your new email address" in other.page.words
    acme.work.deliver_what_is_due()
    assert emails(acme) == [ADA]


def test_a_removed_address_is_notified(acme: Portal, ada: Visitor):
    ada.sign_in()
    form = ada.form().press(**{"emails-0-email": NEW})
    prove = post(ada, form)
    acme.work.deliver_what_is_due()
    post(ada, prove, code=code_in(mailbox(acme)[-1]))
    acme.work.deliver_what_is_due()
    assert emails(acme) == [NEW]
    assert mailbox(acme)[-1]["To"] == ADA
    assert "is being removed" in text(mailbox(acme)[-1])
    acme.parts.clock.pass_time(72 * 3_600)  # until then it has access to what was sent with it
    acme.work.index_what_is_due()
    again = Visitor(acme)
    again.ask(ADA)
    assert "There is no such profile" in text(mailbox(acme)[-1])


def test_an_address_confirmed_by_somebody_else_is_not_confirmed_for_her(acme: Portal, ada: Visitor):
    acme.service.load(
        "acme", [candidate("graces-record", firstName="Grace", emails=[{"email": "grace@people.example"}])]
    )
    acme.parts.clock.pass_time(100)
    acme.work.index_what_is_due()
    grace = Visitor(acme)
    grace.sign_in("grace@people.example")
    prove = ask_to_add(grace)
    acme.work.deliver_what_is_due()
    assert "Received" in post(grace, prove, code=code_in(mailbox(acme)[-1])).page.words
    ada.sign_in()
    assert "Confirm your new email address" in ask_to_add(ada).page.words
    acme.work.deliver_what_is_due()
    assert emails(acme) == [ADA]
