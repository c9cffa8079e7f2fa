"""Without a former secret key, My applications says that earlier ones cannot be shown."""

import pytest

from portal.delivery.envelopes.person import record_secret_key_in_use
from tests.builders import SECRET, Portal
from tests.site.account.test_candidates_keep_access_after_a_change_of_the_secret_key import (
    LATER,
    NEW,
    apply,
    signed_in,
    start_again,
)

PAGE = "/profile/applications"


@pytest.fixture
def acme(on_each: Portal) -> Portal:
    record_secret_key_in_use(on_each.parts.database, on_each.parts.seal, on_each.parts.clock.now())
    return on_each


def started_with(acme: Portal, secret: str, *fallbacks: str) -> None:
    start_again(acme, secret, *fallbacks)
    acme.parts.clock.pass_time(LATER)
    acme.work.index_what_is_due()


def test_a_candidate_without_applications_is_told_so(acme: Portal):
    assert "You have not sent any applications" in signed_in(acme).get(PAGE).words


def test_a_candidate_with_earlier_applications_is_told_that_they_cannot_be_shown(acme: Portal):
    apply(acme)
    started_with(acme, NEW)
    page = signed_in(acme).get(PAGE).words
    assert "Earlier applications cannot be shown right now" in page
    assert "You have not sent any applications" not in page


def test_a_candidate_who_signed_in_while_the_key_was_a_fallback_sees_hers(acme: Portal):
    reference = apply(acme)
    started_with(acme, NEW, SECRET)
    signed_in(acme)
    started_with(acme, NEW)
    assert reference in signed_in(acme).get(PAGE).text
