"""An Idempotency-Key of the JSON API applies to one applicant, so others can use the same key."""

import hashlib

import sqlalchemy as sa

from portal.delivery.envelopes.tables import deliveries
from tests.site.embed.intake import FrontEnd

STRANGER = "stranger@people.example"


def make_it_the_former_releases(front_end: FrontEnd, key: str) -> None:
    """In that release a key was one form of the whole tenant."""
    former = hashlib.sha256(f"acme\n{key}".encode()).hexdigest()[:32]
    with front_end.portal.parts.database.write() as connection:
        connection.execute(sa.update(deliveries).values(form_id=former))


def test_a_stranger_with_the_same_key_blocks_nobody(front_end_on_each):
    theirs = front_end_on_each.sent(key="k-1", email=STRANGER)
    mine = front_end_on_each.sent(key="k-1")
    assert mine != theirs
    assert front_end_on_each.sent(key="k-1") == mine
    for email in (STRANGER, "ada@people.example", "ADA@people.example"):
        assert front_end_on_each.send(key="k-1", email=email, firstName="Grace").status_code == 409


def test_a_retry_that_began_before_the_upgrade_is_recognised(front_end_on_each):
    handle = front_end_on_each.handle()
    before = front_end_on_each.sent(key="k-1", cvAttachmentId=handle)
    make_it_the_former_releases(front_end_on_each, "k-1")
    assert front_end_on_each.sent(key="k-1") == before
    assert front_end_on_each.send(key="k-1", firstName="Grace").status_code == 409


def test_what_was_sent_before_the_upgrade_blocks_nobody(front_end_on_each):
    theirs = front_end_on_each.sent(key="k-1", email=STRANGER)
    make_it_the_former_releases(front_end_on_each, "k-1")
    assert front_end_on_each.sent(key="k-1") != theirs
