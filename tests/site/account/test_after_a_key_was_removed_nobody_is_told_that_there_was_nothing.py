"""Without a former secret key, My applications says that earlier ones cannot be shown."""

import pytest

from portal.delivery.envelopes.person import record_key
from tests.builders import SECRET, Portal
from tests.site.account.test_a_new_secret_key_costs_nobody_their_rights import LATER, NEW, apply, signed_in, start_again

PAGE = "/profile/applications"


@pytest.fixture
def acme(on_each: Portal) -> Portal:
    record_key(on_each.parts.database, on_each.parts.seal, on_each.parts.clock.now())
    return on_each


def started_with(acme: Portal, secret: str, *fallbacks: str) -> None:
    start_again(acme, secret, *fallbacks)
    acme.parts.clock.pass_time(LATER)
    acme.work.index_what_is_due()


def test_who_never_applied_reads_so(acme: Portal):
    assert "You have not sent any applications" in signed_in(acme).get(PAGE).words


def test_who_applied_before_is_not_told_otherwise(acme: Portal):
    apply(acme)
    started_with(acme, NEW)
    page = signed_in(acme).get(PAGE).words
    assert "Earlier applications cannot be shown right now" in page
    assert "You have not sent any applications" not in page


def test_who_signed_in_while_it_was_a_fallback_has_hers(acme: Portal):
    reference = apply(acme)
    started_with(acme, NEW, SECRET)
    signed_in(acme)
    started_with(acme, NEW)
    assert reference in signed_in(acme).get(PAGE).text
