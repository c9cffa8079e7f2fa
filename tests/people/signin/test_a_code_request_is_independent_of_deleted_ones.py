"""Outbox rows of a deleted code request are never applied to a later one."""

import sqlalchemy as sa

from portal.people.signin import sessions
from portal.people.signin.tables import code_requests
from portal.platform.crypto.sealing import address_hashes
from tests.people.signin.desk import ADA, TTL, Desk

DAY = 86_400


def count(desk: Desk) -> int:
    with desk.db.read() as connection:
        return connection.execute(sa.select(sa.func.count()).select_from(code_requests)).scalar_one()


def test_a_candidate_who_erased_everything_can_request_a_code_again(desk: Desk):
    desk.enter("browser-1", desk.ask("browser-1"))
    with desk.db.write() as connection:
        sessions.forget(connection, tenant="acme", addresses=address_hashes(desk.seal, "acme", ADA))
    assert count(desk) == 0
    assert desk.enter("browser-2", desk.ask("browser-2"))


def test_after_an_erasure_only_the_code_requested_since_is_sent(desk: Desk):
    desk.ask("browser-1", deliver=False)
    with desk.db.write() as connection:
        sessions.forget(connection, tenant="acme", addresses=address_hashes(desk.seal, "acme", ADA))
    assert desk.ask("browser-2", "bob@people.example") is None
    assert [one["recipient"] for one in desk.mails.sent] == ["bob@people.example"]


def test_a_long_outage_of_the_mail_server_does_not_block_later_requests(desk: Desk):
    desk.ask("browser-1", deliver=False)
    desk.clock.pass_time(TTL + DAY)
    sessions.forget_expired(desk.db, ttl=1_800, clock=desk.clock)
    assert count(desk) == 0
    assert desk.enter("browser-2", desk.ask("browser-2"))
