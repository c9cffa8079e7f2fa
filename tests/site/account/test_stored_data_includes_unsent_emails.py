"""Unsent emails to a candidate are part of the download, and are deleted by an erasure."""

import sqlalchemy as sa

from portal.background.mails import queue
from portal.background.mails.tables import letters
from tests.builders import Portal
from tests.site.account.candidate import ADA, Visitor, mailbox
from tests.site.apply.applicant import Applicant


def apply(acme: Portal, address: str) -> None:
    with acme.browser() as client:
        Applicant(client).receipt(email=address)


def test_only_her_own_emails_are_listed_with_time_and_subject(acme: Portal, ada: Visitor):
    ada.sign_in()
    apply(acme, "Ada@People.example")
    apply(acme, "eve@people.example")
    (waiting,) = ada.client.get("/acme/profile/data.json").json()["letters"]
    assert waiting == {
        "kind": "receipt",
        "at": acme.parts.clock.now().isoformat(),
        "subject": "Your application has been received: Welder",
    }
    assert "Your application has been received: Welder" in ada.get("/profile/data").words
    acme.work.deliver_what_is_due()
    assert ada.client.get("/acme/profile/data.json").json()["letters"] == []
    assert mailbox(acme)[-1]["Subject"] == waiting["subject"]


def test_an_erasure_deletes_them_and_only_its_own_reply_is_sent(acme: Portal, ada: Visitor):
    ada.sign_in()
    before = len(mailbox(acme))
    with acme.parts.database.write() as connection:
        queue.send(
            connection,
            acme.parts.seal,
            tenant="acme",
            template="change_refused",
            locale="en",
            recipient=ADA,
            facts={"reference": "R"},
            now=acme.parts.clock.now(),
        )
    apply(acme, "eve@people.example")
    assert [one["kind"] for one in ada.client.get("/acme/profile/data.json").json()["letters"]] == ["change_refused"]
    ada.post("/profile/erase", ada.get("/profile/erase"))
    acme.work.deliver_what_is_due()
    told = [(one["To"], one["Subject"]) for one in mailbox(acme)[before:]]
    assert [to for to, _ in told].count(ADA) == 1
    assert {"eve@people.example", "jobs@acme.example"} <= {to for to, _ in told}
    with acme.parts.database.read() as connection:
        assert connection.execute(sa.select(sa.func.count()).where(letters.c.sealed.is_not(None))).scalar() == 0
