"""While a tenant file cannot be loaded, its shorter periods are not applied: it may name longer ones by now."""

import pytest
import sqlalchemy as sa

from portal.delivery.envelopes.tables import deliveries
from tests.builders import SECRET, Portal
from tests.site.account.test_a_new_secret_key_costs_nobody_their_rights import NEW, apply, start_again

DAY = 86_400


def receipts(acme: Portal) -> int:
    with acme.parts.database.read() as connection:
        return connection.scalar(sa.select(sa.func.count()).select_from(deliveries)) or 0


@pytest.mark.parametrize("starts_again", [True, False])
def test_whether_or_not_a_worker_starts_with_it(acme: Portal, *, starts_again: bool):
    apply(acme)
    acme.work.deliver_what_is_due()
    acme.parts.clock.pass_time(acme.parts.settings.purge_after + 1)
    acme.work.run_housekeeping()
    file = acme.parts.settings.tenants / "acme.toml"
    text = file.read_text() + "\n[retention]\nreceipts = 30\n"
    acme.parts.clock.pass_time(60 * DAY)
    file.write_text("[site\n" + text)
    if starts_again:
        start_again(acme, NEW, SECRET)
    acme.work.run_housekeeping()
    assert receipts(acme) == 1
    file.write_text(text)
    acme.parts.clock.pass_time(1)
    acme.work.run_housekeeping()
    assert receipts(acme) == 0


def test_and_the_longest_period_holds_all_the_same(acme: Portal):
    apply(acme)
    acme.work.deliver_what_is_due()
    acme.parts.clock.pass_time(acme.parts.settings.purge_after + 1)
    acme.work.run_housekeeping()
    (acme.parts.settings.tenants / "acme.toml").unlink()
    acme.parts.clock.pass_time(acme.parts.settings.forget_after)
    acme.work.run_housekeeping()
    assert receipts(acme) == 0
