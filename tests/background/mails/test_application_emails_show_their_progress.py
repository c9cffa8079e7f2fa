"""Every email about an application shows the same progress, with times: received, delivered, and the outcome."""

from dataclasses import replace

import pytest

from portal.background.outbox.states import HeldFor, OutboxState
from portal.delivery.envelopes.handler import DeliveryHandler
from portal.delivery.kinds import KINDS
from tests.background.mails.post import SomeTenants, send_all, text
from tests.delivery.envelopes.desk import Desk

RECEIVED = "Received: 1 June 2026"


def html(message) -> str:
    return message.get_body(("html",)).get_content()


@pytest.mark.parametrize(
    ("outcome", "subject"), [("Rejected", "Your application could not be delivered"), ("Infected", "CV again")]
)
def test_an_email_about_a_failed_delivery_shows_the_progress(desk: Desk, outcome: str, subject: str):
    reference = desk.send(desk.filled("1" * 32))
    handler = DeliveryHandler(desk.db, desk.seal, KINDS, SomeTenants(), lambda _: None, desk.clock)
    desk.clock.pass_time(86_400)
    with desk.db.write() as connection:
        handler.settled(connection, [reference], OutboxState.DEAD, outcome)
    (letter,) = [one for one in send_all(desk) if subject in one["Subject"]]
    assert RECEIVED in text(letter)
    assert "Not delivered" in text(letter).splitlines()
    assert ">Received<" in html(letter)
    assert "Not delivered" in html(letter)


def test_an_email_asking_for_confirmation_shows_the_progress(desk: Desk):
    new = desk.filled("1" * 32)
    desk.send(replace(new, held_for=HeldFor.CANDIDATE))
    (letter,) = send_all(desk)
    assert RECEIVED in text(letter)
    assert "With Acme: not yet" in text(letter).splitlines()
    assert "not yet" in html(letter)


def test_a_combined_email_shows_the_progress_of_each_application(desk: Desk):
    for n in range(6):
        desk.send(desk.filled(f"{n:032x}", city=f"Town {n}"))
    desk.clock.pass_time(86_400)
    gathered = send_all(desk)[-1]
    assert "Several emails" in text(gathered)
    assert f"  {RECEIVED}" in text(gathered)
    assert "  With Acme: not yet" in text(gathered)
