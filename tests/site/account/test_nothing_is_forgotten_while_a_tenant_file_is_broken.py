"""A tenant file that cannot be loaded may say that its company keeps receipts for longer: nothing is forgotten then."""

import sqlalchemy as sa

from portal.delivery.envelopes.tables import deliveries
from tests.builders import SECRET, Portal
from tests.site.account.test_a_new_secret_key_costs_nobody_their_rights import NEW, apply, start_again

YEARS = 3 * 365 * 86_400


def receipts(acme: Portal) -> int:
    with acme.parts.database.read() as connection:
        return connection.scalar(sa.select(sa.func.count()).select_from(deliveries)) or 0


def test_by_a_worker_that_starts_with_it(acme: Portal):
    apply(acme)
    acme.work.deliver_what_is_due()
    acme.parts.clock.pass_time(acme.parts.settings.purge_after + 1)
    acme.work.keep_house()
    file = acme.parts.settings.tenants / "acme.toml"
    text = file.read_text()
    acme.parts.clock.pass_time(YEARS)
    file.write_text("[retention\n" + text)
    start_again(acme, NEW, SECRET)
    acme.work.keep_house()
    assert receipts(acme) == 1
    file.write_text(text)
    start_again(acme, NEW, SECRET)
    acme.work.keep_house()
    assert receipts(acme) == 0
