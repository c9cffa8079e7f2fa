"""Receipts and notices are queued with their cause, sent in the tenant's name, and erased once sent."""

import sqlalchemy as sa

from portal.background.mails.tables import letters
from portal.background.outbox.states import OutboxState
from portal.delivery.envelopes.handler import DeliveryHandler
from portal.delivery.kinds import KINDS
from tests.background.mails.post import SomeTenants, send_all, text
from tests.delivery.envelopes.desk import Desk


def test_a_receipt_has_reference_job_and_time(desk: Desk):
    reference = desk.send(desk.filled("1" * 32))
    (message,) = send_all(desk)
    assert message["To"] == "jose@people.example"
    assert message["From"] == "Acme careers <careers@acme.example>"
    assert message["Subject"] == "Your application has been received: Welder"
    assert reference in text(message)
    assert f"https://careers.example/acme/applications/{reference}" in text(message)
    assert "1 June 2026" in text(message)
    assert reference in message.get_body(("html",)).get_content()


def test_a_duplicate_application_causes_an_email(desk: Desk):
    reference = desk.send(desk.filled("1" * 32))
    desk.clock.pass_time(2 * 86_400)
    desk.send(desk.filled("2" * 32))
    first, second = send_all(desk)
    assert "second time" not in text(first)
    assert "at Acme on 1 June 2026" in text(second)
    assert "so it was not sent again. This is the receipt for your first application." in text(second)
    assert f"https://careers.example/acme/applications/{reference}" in text(second)


def test_a_sent_email_keeps_neither_address_nor_text(desk: Desk):
    desk.send(desk.filled("1" * 32))
    send_all(desk)
    with desk.db.read() as connection:
        row = connection.execute(sa.select(letters)).one()
    assert row.sealed is None
    assert "jose" not in repr(row).lower()


def test_a_job_title_cannot_inject_html_or_headers(desk: Desk):
    desk.send(desk.filled("1" * 32, title="<b>Cook</b>\r\nBcc: all@people.example"))
    (message,) = send_all(desk)
    assert message["Bcc"] is None
    assert "<b>Cook" not in message.get_body(("html",)).get_content()


def test_operators_get_the_first_failure_immediately_and_others_in_an_hourly_digest(desk: Desk):
    references = [desk.send(desk.filled(f"{n:032x}", email=f"jose{n}@people.example")) for n in range(4)]
    send_all(desk)
    handler = DeliveryHandler(desk.db, desk.seal, KINDS, SomeTenants(), lambda _: None, desk.clock)

    def die(reference: str) -> None:
        with desk.db.write() as connection:
            handler.settled(connection, [reference], OutboxState.DEAD, "Rejected")

    die(references[0])
    to_operator = [m for m in send_all(desk) if m["To"] == "jobs@acme.example"]
    assert len(to_operator) == 1
    for reference in references[1:]:
        die(reference)
    assert references[0] in text(to_operator[0])
    assert "jose" not in text(to_operator[0]).lower()
    desk.clock.pass_time(3_599)
    assert len([m for m in send_all(desk) if m["To"] == "jobs@acme.example"]) == 1
    desk.clock.pass_time(1)
    digest = [m for m in send_all(desk) if m["To"] == "jobs@acme.example"][-1]
    assert all(reference in text(digest) for reference in references[1:])
    assert digest["Subject"] == "3 applications could not be delivered"
    to_applicant = [m for m in send_all(desk) if m["Subject"].startswith("Your application could not")]
    assert len(to_applicant) == 4
