"""The email about a withdrawal shows the application's progress in the words of the receipt."""

from tests.builders import Portal
from tests.site.account.candidate import ADA, Visitor, mailbox, text
from tests.site.account.test_a_candidate_follows_and_withdraws_applications import apply


def test_the_email_lists_received_delivered_and_withdrawn(acme: Portal, ada: Visitor):
    reference = apply(acme)
    acme.work.deliver_what_is_due()
    ada.sign_in()
    acme.parts.clock.pass_time(60)
    path = f"/profile/applications/{reference}/withdraw"
    ada.post(path, ada.get(path))
    acme.work.deliver_what_is_due()
    (letter,) = [one for one in mailbox(acme) if one["To"] == ADA and "has been withdrawn" in one["Subject"]]
    lines = [line.partition(":")[0] for line in text(letter).splitlines()]
    steps = [line for line in lines if line in {"Received", "With Acme", "Withdrawn"}]
    assert steps == ["Received", "With Acme", "Withdrawn"]
