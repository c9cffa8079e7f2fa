"""A code request by a stranger neither invalidates the owner's code nor uses up the owner's quota."""

import pytest
import sqlalchemy as sa

from portal.background.mails import quota
from portal.background.mails.tables import mailbox_events
from portal.people.signin import sessions
from portal.platform.crypto.sealing import Seal, address_hashes
from tests.people.signin.desk import ADA, Desk

DAY = 86_400


def strangers(desk: Desk, networks: int, each: int = 1) -> int:
    """Request codes for Ada's address from that many networks; return how many were sent."""
    before = len(desk.mails.sent)
    for network in range(networks):
        for number in range(each):
            desk.ask(f"stranger-{network}-{number}", network=f"network-{network}")
    return len(desk.mails.sent) - before


def prove(desk: Desk, network: str = "hers") -> None:
    assert desk.enter("browser-0", desk.ask("browser-0", network=network), network=network)


def test_the_code_that_she_holds_stays_valid(desk: Desk):
    code = desk.ask("hers")
    strangers(desk, networks=1, each=3)
    assert desk.enter("hers", code)


def test_one_that_waits_with_a_strangers_is_sent_too(desk: Desk):
    desk.ask("hers", deliver=False)
    desk.ask("strangers")
    assert len(desk.mails.sent) == 2
    assert desk.enter("hers", desk.mails.sent[0]["facts"]["code"])


def test_a_strangers_code_opens_nothing_for_her_nor_hers_for_him(desk: Desk):
    hers, his = desk.ask("hers"), desk.ask("his")
    assert desk.enter("hers", his) is None
    assert desk.enter("his", hers) is None


def test_one_network_uses_up_its_own_share_alone(desk: Desk):
    assert strangers(desk, networks=1, each=100) == quota.CODES_OF_NETWORK
    assert desk.enter("hers", desk.ask("hers", network="hers"), network="hers")


def test_from_many_networks_her_mailbox_gets_sixty_a_day(desk: Desk):
    assert strangers(desk, networks=70) == quota.CODES
    desk.clock.pass_time(DAY - 1)
    assert strangers(desk, networks=1) == 0
    desk.clock.pass_time(1)
    assert strangers(desk, networks=1) == 1


def test_while_many_ask_the_code_that_she_holds_works(desk: Desk):
    code = desk.ask("hers", network="hers")
    strangers(desk, networks=70)
    assert desk.ask("hers", network="hers") is None
    assert desk.enter("hers", code)


def test_while_many_ask_she_gets_one_where_she_signed_in_lately(desk: Desk):
    prove(desk)
    strangers(desk, networks=70)
    desk.clock.pass_time(1_000)
    assert desk.ask("elsewhere", network="new") is None
    assert desk.enter("hers", desk.ask("hers", network="hers"))


@pytest.mark.parametrize(("after", "gets"), [(quota.PROOF_LASTS.total_seconds() - 1, True), (90 * DAY, False)])
def test_lately_is_ninety_days(desk: Desk, after: float, gets: bool):
    prove(desk)
    desk.clock.pass_time(after)
    strangers(desk, networks=70)
    assert bool(desk.ask("hers", network="hers")) is gets


def test_a_new_secret_key_forgets_no_proof_and_no_count(desk: Desk):
    prove(desk)
    strangers(desk, networks=69)
    desk.seal = Seal("a new secret, also 32 characters", ["a secret for tests, 32 characters"])
    assert desk.ask("elsewhere", network="new") is None
    assert desk.ask("hers", network="hers")


def test_who_erases_everything_takes_the_proof_along(desk: Desk):
    from portal.background.mails import queue

    prove(desk)
    with desk.db.write() as connection:
        sessions.forget(connection, tenant="acme", addresses=address_hashes(desk.seal, "acme", ADA))
        queue.withdraw_to(connection, desk.seal, tenant="acme", recipient=ADA, now=desk.clock.now())
        assert connection.execute(sa.select(mailbox_events)).all() == []


def test_what_no_longer_counts_is_deleted(desk: Desk):
    prove(desk)
    with desk.db.read() as connection:
        assert "ada" not in repr(connection.execute(sa.select(mailbox_events)).all())
    desk.clock.pass_time(DAY + 1)
    quota.forget_old(desk.db, desk.clock.now())
    with desk.db.read() as connection:
        (kept,) = connection.execute(sa.select(mailbox_events)).all()
    assert kept.what == "proof"
    desk.clock.pass_time(90 * DAY)
    quota.forget_old(desk.db, desk.clock.now())
    with desk.db.read() as connection:
        assert connection.execute(sa.select(mailbox_events)).all() == []
