"""Outbox rows of a deleted code request are never applied to a later one."""

import sqlalchemy as sa

from portal.people.signin import sessions
from portal.people.signin.tables import code_requests
from portal.platform.crypto.sealing import address_hashes
from tests.people.signin.signin_scene import ADA, TTL, SignInScene

DAY = 86_400


def count(scene: SignInScene) -> int:
    with scene.db.read() as connection:
        return connection.execute(sa.select(sa.func.count()).select_from(code_requests)).scalar_one()


def test_a_candidate_who_erased_everything_can_request_a_code_again(scene: SignInScene):
    scene.enter("browser-1", scene.ask("browser-1"))
    with scene.db.write() as connection:
        sessions.forget(connection, tenant="acme", addresses=address_hashes(scene.seal, "acme", ADA))
    assert count(scene) == 0
    assert scene.enter("browser-2", scene.ask("browser-2"))


def test_after_an_erasure_only_the_code_requested_since_is_sent(scene: SignInScene):
    scene.ask("browser-1", deliver=False)
    with scene.db.write() as connection:
        sessions.forget(connection, tenant="acme", addresses=address_hashes(scene.seal, "acme", ADA))
    assert scene.ask("browser-2", "bob@people.example") is None
    assert [one["recipient"] for one in scene.mails.sent] == ["bob@people.example"]


def test_a_long_outage_of_the_mail_server_does_not_block_later_requests(scene: SignInScene):
    scene.ask("browser-1", deliver=False)
    scene.clock.pass_time(TTL + DAY)
    sessions.forget_expired(scene.db, ttl=1_800, clock=scene.clock)
    assert count(scene) == 0
    assert scene.enter("browser-2", scene.ask("browser-2"))
