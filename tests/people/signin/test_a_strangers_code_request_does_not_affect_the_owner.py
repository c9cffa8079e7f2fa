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


def test_the_owners_code_stays_valid(desk: Desk):
    code = desk.ask("hers")
    strangers(desk, networks=1, each=3)
    assert desk.enter("hers", code)


def test_the_owners_queued_request_is_sent_as_well(desk: Desk):
    desk.ask("hers", deliver=False)
    desk.ask("strangers")
    assert len(desk.mails.sent) == 2
    assert desk.enter("hers", desk.mails.sent[0]["facts"]["code"])


def test_neither_code_works_in_the_others_browser(desk: Desk):
    hers, his = desk.ask("hers"), desk.ask("his")
    assert desk.enter("hers", his) is None
    assert desk.enter("his", hers) is None


def test_one_network_uses_up_only_its_own_quota(desk: Desk):
    assert strangers(desk, networks=1, each=100) == quota.CODES_OF_NETWORK
    assert desk.enter("hers", desk.ask("hers", network="hers"), network="hers")


def test_one_mailbox_gets_at_most_sixty_codes_a_day(desk: Desk):
    assert strangers(desk, networks=70) == quota.CODES
    desk.clock.pass_time(DAY - 1)
    assert strangers(desk, networks=1) == 0
    desk.clock.pass_time(1)
    assert strangers(desk, networks=1) == 1


def test_the_owners_code_works_while_many_strangers_request_codes(desk: Desk):
    code = desk.ask("hers", network="hers")
    strangers(desk, networks=70)
    assert desk.ask("hers", network="hers") is None
    assert desk.enter("hers", code)


def test_a_recently_used_browser_gets_a_code_while_many_strangers_request_codes(desk: Desk):
    prove(desk)
    strangers(desk, networks=70)
    desk.clock.pass_time(1_000)
    assert desk.ask("elsewhere", network="new") is None
    assert desk.enter("hers", desk.ask("hers", network="hers"))


@pytest.mark.parametrize(("after", "gets"), [(quota.PROOF_LASTS.total_seconds() - 1, True), (90 * DAY, False)])
def test_recently_used_means_within_ninety_days(desk: Desk, after: float, gets: bool):
    prove(desk)
    desk.clock.pass_time(after)
    strangers(desk, networks=70)
    assert bool(desk.ask("hers", network="hers")) is gets


def test_a_new_secret_key_keeps_known_browsers_and_counts(desk: Desk):
    prove(desk)
    strangers(desk, networks=69)
    desk.seal = Seal("a new secret, also 32 characters", ["a secret for tests, 32 characters"])
    assert desk.ask("elsewhere", network="new") is None
    assert desk.ask("hers", network="hers")


def test_erasing_everything_also_erases_the_known_browsers(desk: Desk):
    from portal.background.mails import queue

    prove(desk)
    with desk.db.write() as connection:
        sessions.forget(connection, tenant="acme", addresses=address_hashes(desk.seal, "acme", ADA))
        queue.withdraw_to(connection, desk.seal, tenant="acme", recipient=ADA, now=desk.clock.now())
        assert connection.execute(sa.select(mailbox_events)).all() == []


def test_counts_that_no_longer_apply_are_deleted(desk: Desk):
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
