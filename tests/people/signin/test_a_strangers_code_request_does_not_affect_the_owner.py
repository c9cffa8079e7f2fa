"""A code request by a stranger neither invalidates the owner's code nor uses up the owner's quota."""

import pytest
import sqlalchemy as sa

from portal.background.mails import quota
from portal.background.mails.tables import mailbox_events
from portal.people.signin import sessions
from portal.platform.crypto.sealing import Seal, address_hashes
from tests.people.signin.signin_scene import ADA, SignInScene

DAY = 86_400


def strangers(scene: SignInScene, networks: int, each: int = 1) -> int:
    """Request codes for Ada's address from that many networks; return how many were sent."""
    before = len(scene.mails.sent)
    for network in range(networks):
        for number in range(each):
            scene.ask(f"stranger-{network}-{number}", network=f"network-{network}")
    return len(scene.mails.sent) - before


def prove(scene: SignInScene, network: str = "hers") -> None:
    assert scene.enter("browser-0", scene.ask("browser-0", network=network), network=network)


def test_the_owners_code_stays_valid(scene: SignInScene):
    code = scene.ask("hers")
    strangers(scene, networks=1, each=3)
    assert scene.enter("hers", code)


def test_the_owners_queued_request_is_sent_as_well(scene: SignInScene):
    scene.ask("hers", deliver=False)
    scene.ask("strangers")
    assert len(scene.mails.sent) == 2
    assert scene.enter("hers", scene.mails.sent[0]["facts"]["code"])


def test_neither_code_works_in_the_others_browser(scene: SignInScene):
    hers, his = scene.ask("hers"), scene.ask("his")
    assert scene.enter("hers", his) is None
    assert scene.enter("his", hers) is None


def test_one_network_uses_up_only_its_own_quota(scene: SignInScene):
    assert strangers(scene, networks=1, each=100) == quota.CODES_OF_NETWORK
    assert scene.enter("hers", scene.ask("hers", network="hers"), network="hers")


def test_one_mailbox_gets_at_most_sixty_codes_a_day(scene: SignInScene):
    assert strangers(scene, networks=70) == quota.CODES
    scene.clock.pass_time(DAY - 1)
    assert strangers(scene, networks=1) == 0
    scene.clock.pass_time(1)
    assert strangers(scene, networks=1) == 1


def test_the_owners_code_works_while_many_strangers_request_codes(scene: SignInScene):
    code = scene.ask("hers", network="hers")
    strangers(scene, networks=70)
    assert scene.ask("hers", network="hers") is None
    assert scene.enter("hers", code)


def test_a_recently_used_browser_gets_a_code_while_many_strangers_request_codes(scene: SignInScene):
    prove(scene)
    strangers(scene, networks=70)
    scene.clock.pass_time(1_000)
    assert scene.ask("elsewhere", network="new") is None
    assert scene.enter("hers", scene.ask("hers", network="hers"))


@pytest.mark.parametrize(("after", "gets"), [(quota.PROOF_LASTS.total_seconds() - 1, True), (90 * DAY, False)])
def test_recently_used_means_within_ninety_days(scene: SignInScene, after: float, gets: bool):
    prove(scene)
    scene.clock.pass_time(after)
    strangers(scene, networks=70)
    assert bool(scene.ask("hers", network="hers")) is gets


def test_a_new_secret_key_keeps_known_browsers_and_counts(scene: SignInScene):
    prove(scene)
    strangers(scene, networks=69)
    scene.seal = Seal("a new secret, also 32 characters", ["a secret for tests, 32 characters"])
    assert scene.ask("elsewhere", network="new") is None
    assert scene.ask("hers", network="hers")


def test_erasing_everything_also_erases_the_known_browsers(scene: SignInScene):
    from portal.background.mails import queue

    prove(scene)
    with scene.db.write() as connection:
        sessions.forget(connection, tenant="acme", addresses=address_hashes(scene.seal, "acme", ADA))
        queue.withdraw_to(connection, scene.seal, tenant="acme", recipient=ADA, now=scene.clock.now())
        assert connection.execute(sa.select(mailbox_events)).all() == []


def test_counts_that_no_longer_apply_are_deleted(scene: SignInScene):
    prove(scene)
    with scene.db.read() as connection:
        assert "ada" not in repr(connection.execute(sa.select(mailbox_events)).all())
    scene.clock.pass_time(DAY + 1)
    quota.forget_old(scene.db, scene.clock.now())
    with scene.db.read() as connection:
        (kept,) = connection.execute(sa.select(mailbox_events)).all()
    assert kept.what == "proof"
    scene.clock.pass_time(90 * DAY)
    quota.forget_old(scene.db, scene.clock.now())
    with scene.db.read() as connection:
        assert connection.execute(sa.select(mailbox_events)).all() == []
