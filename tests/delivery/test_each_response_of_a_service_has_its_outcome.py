"""The outcome of each response of the service, as in the outcome table, over real sockets, on both databases."""

from datetime import timedelta
from email.utils import format_datetime

import pytest

from portal.background.outbox.states import OutboxState
from tests.delivery.scene import AMBIGUOUS, RETRY_BASE, Scene
from tests.delivery.service import Deed, refused, taken
from tests.parts.misbehaving import Behaviour, answer, drip, hang_up, html, reset, silence, truncated

DAY = 86_400
FIRST_PROBE = 5


def later(status: int, retry_after: str | None = None) -> Behaviour:
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return answer({"error": "busy"}, status=status, headers=headers)


def test_an_accepted_application_is_sent_once_and_the_receipt_says_so(here: Scene):
    reference = here.apply()
    assert "Received" in here.receipt(reference)
    here.deliver()
    assert here.overview(reference).state is OutboxState.DELIVERED
    assert "is with Acme" in here.receipt(reference)
    assert here.deliver(after=8 * DAY) == 0
    assert here.acme.counts() == {reference: 1}
    assert len(here.acme.posted) == 1


def test_an_empty_success_response_counts_as_accepted(here: Scene):
    here.acme.plan(Deed(takes=True, says=answer(status=200, raw=b"")))
    reference = here.apply()
    here.deliver()
    assert here.overview(reference).state is OutboxState.DELIVERED


def test_an_unavailable_service_gets_the_application_when_it_is_back(here: Scene):
    here.acme.down()
    reference = here.apply()
    here.deliver()
    assert here.overview(reference).state is OutboxState.RETRY
    here.acme.up()
    assert here.deliver(after=FIRST_PROBE - 1) == 0
    here.deliver(after=1)
    assert here.overview(reference).state is OutboxState.DELIVERED
    assert here.acme.counts() == {reference: 1}


@pytest.mark.parametrize("status", [408, 425, 503])
def test_a_503_may_be_brief_and_is_tried_again_after_seconds(here: Scene, status: int):
    here.acme.plan(refused(later(status)), taken())
    reference = here.apply()
    here.deliver()
    assert here.overview(reference).state is OutboxState.RETRY
    assert here.deliver(after=FIRST_PROBE - 1) == 0
    here.deliver(after=1)
    assert here.overview(reference).state is OutboxState.DELIVERED


@pytest.mark.parametrize(
    ("retry_after", "pause"), [("100", 100), ("-1", 1), ("abc", 60), (None, 60), ("999999", DAY), ("0", 1)]
)
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_requested_pause_is_honoured_and_costs_no_attempt(here: Scene, retry_after: str | None, pause: int):
    here.acme.plan(refused(later(429, retry_after)), taken())
    reference = here.apply()
    here.deliver()
    waiting = here.overview(reference)
    assert (waiting.state, waiting.attempts) == (OutboxState.RETRY, 0)
    assert here.deliver(after=pause - 0.9) == 0
    here.deliver(after=1)
    assert here.overview(reference).state is OutboxState.DELIVERED
    assert here.acme.counts() == {reference: 1}


def test_a_pause_until_a_date_is_honoured(here: Scene):
    until = here.clock.now() + timedelta(seconds=300)
    here.acme.plan(refused(later(503, format_datetime(until, usegmt=True))), taken())
    reference = here.apply()
    here.deliver()
    assert here.deliver(after=290) == 0
    here.deliver(after=15)
    assert here.overview(reference).state is OutboxState.DELIVERED


@pytest.mark.parametrize(
    "cut",
    [reset(), reset(b"HTTP/1.1 200 OK\r\n"), hang_up, silence(), drip("head"), later(500), later(502), later(504)],
    ids=["reset", "reset in the head", "hang up", "silence", "drip", "500", "502", "504"],
)
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_request_that_may_have_arrived_but_did_not_is_sent_again_after_the_longer_pause(here: Scene, cut: Behaviour):
    here.acme.plan(refused(cut), taken())
    reference = here.apply()
    here.deliver()
    assert here.overview(reference).state is OutboxState.AMBIGUOUS
    assert here.deliver(after=AMBIGUOUS - 5) == 0
    here.deliver(after=10)
    assert here.overview(reference).state is OutboxState.DELIVERED
    assert here.acme.counts() == {reference: 1}
    assert here.acme.read_back == 1


@pytest.mark.parametrize("wrong", [html(), truncated(), drip("body")], ids=["HTML", "truncated", "drip"])
def test_a_success_response_of_a_proxy_is_verified_by_reading_back(here: Scene, wrong: Behaviour):
    here.acme.plan(Deed(takes=True, says=wrong))
    reference = here.apply()
    here.deliver()
    assert here.overview(reference).state is OutboxState.AMBIGUOUS
    here.deliver(after=AMBIGUOUS + 5)
    assert here.overview(reference).state is OutboxState.DELIVERED
    assert len(here.acme.posted) == 1


def test_html_instead_of_json_leads_to_one_resend_at_most(here: Scene):
    here.acme.plan(refused(html()))
    reference = here.apply()
    here.deliver()
    here.deliver(after=AMBIGUOUS + 5)
    assert here.overview(reference).state is OutboxState.DEAD
    here.deliver(after=30 * DAY)
    assert len(here.acme.posted) == 2


@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_redirect_is_not_followed_and_nothing_is_lost(here: Scene, status: int):
    to_globex = answer(status=status, headers={"Location": f"{here.globex.url}/globex/vacancy-portal/jobs/job-1"})
    here.acme.plan(refused(to_globex))
    reference = here.apply()
    here.deliver()
    assert here.overview(reference).state is OutboxState.RETRY
    assert here.globex.posted == []
    here.acme.plan(taken())
    here.deliver(after=RETRY_BASE * 20 + 5)
    assert here.overview(reference).state is OutboxState.DELIVERED


@pytest.mark.parametrize("status", [401, 403])
def test_a_configuration_error_opens_the_breaker_and_loses_nothing(here: Scene, status: int):
    here.acme.plan(refused(later(status)))
    references = [here.apply(f"p{n}") for n in range(6)]
    here.deliver()
    assert len(here.acme.posted) == 1
    for _ in range(3):
        here.deliver(after=RETRY_BASE * 20 + 5)
    assert len(here.acme.posted) == 4
    here.acme.plan(taken())
    here.deliver(after=RETRY_BASE * 20 + 5)
    assert {here.overview(one).state for one in references} == {OutboxState.DELIVERED}
    assert set(here.acme.counts().values()) == {1}


@pytest.mark.parametrize("status", [404, 410])
def test_a_deleted_posting_gets_three_spaced_attempts(here: Scene, status: int):
    here.acme.plan(refused(later(status)))
    reference = here.apply()
    for _ in range(40):
        here.deliver(after=600)
    assert here.overview(reference).state is OutboxState.DEAD
    assert len(here.acme.posted) == 3


@pytest.mark.parametrize("status", [400, 413, 415, 422])
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_rejected_application_gets_three_attempts_within_a_day(here: Scene, status: int):
    here.acme.plan(refused(later(status)))
    reference = here.apply()
    here.deliver(after=DAY * 0.99)
    here.deliver()
    assert here.overview(reference).state is OutboxState.RETRY
    for _ in range(40):
        here.deliver(after=3_600)
    assert here.overview(reference).state is OutboxState.DEAD
    assert len(here.acme.posted) == 3


def test_an_application_fails_after_a_week_and_not_before(here: Scene):
    here.acme.down()
    reference = here.apply()
    for _ in range(27):
        here.deliver(after=DAY / 4)
        here.work.run_housekeeping()
    assert here.overview(reference).state is OutboxState.RETRY
    for _ in range(6):
        here.deliver(after=DAY / 4)
    assert here.overview(reference).state is OutboxState.DEAD
    assert "Not delivered" in here.receipt(reference)
