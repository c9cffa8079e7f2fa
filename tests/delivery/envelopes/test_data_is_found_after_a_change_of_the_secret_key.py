"""After a change of PORTAL_SECRET_KEY, data hashed and encrypted with the former key is still found."""

import pytest
import sqlalchemy as sa

from portal.background.mails import queue as mail_queue
from portal.delivery.applications.kind import APPLICATION
from portal.delivery.envelopes import person
from portal.delivery.envelopes.kinds import opened
from portal.delivery.envelopes.repeats import DifferentContent
from portal.delivery.envelopes.tables import deliveries
from portal.delivery.kinds import KINDS
from tests.delivery.envelopes.desk import SECRET, Desk

NEW = "another secret for tests, 32 char"
FIRST, SECOND = "1" * 32, "2" * 32
JOSE = "jose@people.example"


def test_the_same_form_again_is_the_same_application(desk: Desk):
    application = desk.filled(FIRST)
    reference = desk.send(application)
    rotated = desk.under(NEW, SECRET)
    assert rotated.send(application) == reference
    with pytest.raises(DifferentContent):
        rotated.send(desk.filled(FIRST, first_name="Josefa"))


def test_the_same_content_from_another_form_is_not_sent_twice(desk: Desk):
    first = desk.send(desk.filled(FIRST))
    assert desk.under(NEW, SECRET).send(desk.filled(SECOND)) == first
    assert desk.queued() == [first]


def test_a_waiting_delivery_is_still_decrypted_and_found_by_its_address(desk: Desk):
    reference = desk.send(desk.filled(FIRST))
    seal = desk.under(NEW, SECRET).seal
    with desk.db.read() as connection:
        assert opened(connection, seal, APPLICATION, reference).payload.first_name == "José"
        assert len(mail_queue.waiting(connection, seal, tenant="acme", recipient=JOSE)) == 1
    assert [one.reference for one in person.deliveries_of(desk.db, seal, KINDS, tenant="acme", email=JOSE)] == [
        reference
    ]


def test_an_earlier_application_for_the_same_job_is_still_found(desk: Desk):
    desk.send(desk.filled(FIRST))
    rotated = desk.under(NEW, SECRET)
    later = rotated.send(rotated.filled(SECOND, phone_number="+4930999999"))
    with desk.db.read() as connection:
        one = opened(connection, rotated.seal, APPLICATION, later)
    assert person.sent_before(desk.db, rotated.seal, one)
    assert not person.sent_before(desk.db, desk.under(NEW).seal, one)


def test_erasure_includes_what_was_sent_before_the_change(desk: Desk):
    reference, seal = desk.send(desk.filled(FIRST)), desk.under(NEW, SECRET).seal
    with desk.db.write() as connection:
        gone = person.erase(connection, seal, tenant="acme", email=JOSE, about=(), now=desk.clock.now())
        mail_queue.withdraw_to(connection, seal, tenant="acme", recipient=JOSE, now=desk.clock.now())
        assert gone == [reference]
        assert connection.execute(sa.select(deliveries.c.sealed)).scalar() is None
        assert mail_queue.waiting(connection, seal, tenant="acme", recipient=JOSE) == []
