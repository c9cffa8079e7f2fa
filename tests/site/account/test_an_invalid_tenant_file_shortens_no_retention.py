"""While a tenant file cannot be loaded, its shorter retention is not applied: it may specify a longer one by now."""

import pytest
import sqlalchemy as sa

from portal.delivery.envelopes.tables import deliveries
from tests.builders import SECRET, Portal
from tests.site.account.test_candidates_keep_access_after_a_change_of_the_secret_key import NEW, apply, start_again

DAY = 86_400


def receipts(acme: Portal) -> int:
    with acme.parts.database.read() as connection:
        return connection.scalar(sa.select(sa.func.count()).select_from(deliveries)) or 0


@pytest.mark.parametrize("starts_again", [True, False])
def test_nothing_is_deleted_early_with_or_without_a_restart_of_the_worker(acme: Portal, *, starts_again: bool):
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


def test_the_maximum_retention_still_applies(acme: Portal):
    apply(acme)
    acme.work.deliver_what_is_due()
    acme.parts.clock.pass_time(acme.parts.settings.purge_after + 1)
    acme.work.run_housekeeping()
    (acme.parts.settings.tenants / "acme.toml").unlink()
    acme.parts.clock.pass_time(acme.parts.settings.forget_after)
    acme.work.run_housekeeping()
    assert receipts(acme) == 0
