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


def test_who_erased_everything_may_ask_again(desk: Desk):
    desk.enter("browser-1", desk.ask("browser-1"))
    with desk.db.write() as connection:
        sessions.forget(connection, tenant="acme", addresses=address_hashes(desk.seal, "acme", ADA))
    assert count(desk) == 0
    assert desk.enter("browser-2", desk.ask("browser-2"))


def test_who_erased_everything_before_the_letter_went_gets_the_one_that_was_asked_for_since(desk: Desk):
    desk.ask("browser-1", deliver=False)
    with desk.db.write() as connection:
        sessions.forget(connection, tenant="acme", addresses=address_hashes(desk.seal, "acme", ADA))
    assert desk.ask("browser-2", "bob@people.example") is None
    assert [one["recipient"] for one in desk.mails.sent] == ["bob@people.example"]


def test_a_mail_server_that_was_away_for_long_leaves_nothing_in_the_way(desk: Desk):
    desk.ask("browser-1", deliver=False)
    desk.clock.pass_time(TTL + DAY)
    sessions.forget_expired(desk.db, ttl=1_800, clock=desk.clock)
    assert count(desk) == 0
    assert desk.enter("browser-2", desk.ask("browser-2"))
