"""PORTAL_SECRET_KEY was changed: what was hashed under the former one is still known."""

import pytest

from portal.applications.accept import KIND, DifferentApplication, accept
from portal.outbox import queue
from tests.applications.desk import ACME, SECRET, Desk

NEW = "another secret for tests, 32 char"
FIRST, SECOND = "1" * 32, "2" * 32


def send(desk: Desk, application) -> str:
    return accept(desk.db, tenant=ACME, application=application, secret=NEW, clock=desk.clock, former_secrets=(SECRET,))


def test_the_same_form_again_is_the_same_application(desk: Desk):
    application = desk.filled(FIRST)
    reference = desk.send(application)
    assert send(desk, application) == reference
    with pytest.raises(DifferentApplication):
        send(desk, desk.filled(FIRST, first_name="Josefa"))


def test_the_same_content_from_another_form_is_not_sent_twice(desk: Desk):
    first = desk.send(desk.filled(FIRST))
    assert send(desk, desk.filled(SECOND)) != first
    with desk.db.read() as connection:
        assert [entry.subject for entry in queue.entries(connection, KIND)] == [first]
