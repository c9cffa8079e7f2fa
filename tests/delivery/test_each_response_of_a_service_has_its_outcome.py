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


def test_an_accepted_application_is_sent_once_and_the_receipt_says_so(scene: Scene):
    reference = scene.apply()
    assert "Received" in scene.receipt(reference)
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.DELIVERED
    assert "is with Acme" in scene.receipt(reference)
    assert scene.deliver(after=8 * DAY) == 0
    assert scene.acme.counts() == {reference: 1}
    assert len(scene.acme.posted) == 1


def test_an_empty_success_response_counts_as_accepted(scene: Scene):
    scene.acme.plan(Deed(takes=True, says=answer(status=200, raw=b"")))
    reference = scene.apply()
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.DELIVERED


def test_an_unavailable_service_gets_the_application_when_it_is_back(scene: Scene):
    scene.acme.down()
    reference = scene.apply()
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.RETRY
    scene.acme.up()
    assert scene.deliver(after=FIRST_PROBE - 1) == 0
    scene.deliver(after=1)
    assert scene.overview(reference).state is OutboxState.DELIVERED
    assert scene.acme.counts() == {reference: 1}


@pytest.mark.parametrize("status", [408, 425, 503])
def test_a_503_may_be_brief_and_is_tried_again_after_seconds(scene: Scene, status: int):
    scene.acme.plan(refused(later(status)), taken())
    reference = scene.apply()
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.RETRY
    assert scene.deliver(after=FIRST_PROBE - 1) == 0
    scene.deliver(after=1)
    assert scene.overview(reference).state is OutboxState.DELIVERED


@pytest.mark.parametrize(
    ("retry_after", "pause"), [("100", 100), ("-1", 1), ("abc", 60), (None, 60), ("999999", DAY), ("0", 1)]
)
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_requested_pause_is_honoured_and_costs_no_attempt(scene: Scene, retry_after: str | None, pause: int):
    scene.acme.plan(refused(later(429, retry_after)), taken())
    reference = scene.apply()
    scene.deliver()
    waiting = scene.overview(reference)
    assert (waiting.state, waiting.attempts) == (OutboxState.RETRY, 0)
    assert scene.deliver(after=pause - 0.9) == 0
    scene.deliver(after=1)
    assert scene.overview(reference).state is OutboxState.DELIVERED
    assert scene.acme.counts() == {reference: 1}


def test_a_pause_until_a_date_is_honoured(scene: Scene):
    until = scene.clock.now() + timedelta(seconds=300)
    scene.acme.plan(refused(later(503, format_datetime(until, usegmt=True))), taken())
    reference = scene.apply()
    scene.deliver()
    assert scene.deliver(after=290) == 0
    scene.deliver(after=15)
    assert scene.overview(reference).state is OutboxState.DELIVERED


@pytest.mark.parametrize(
    "cut",
    [reset(), reset(b"HTTP/1.1 200 OK\r\n"), hang_up, silence(), drip("head"), later(500), later(502), later(504)],
    ids=["reset", "reset in the head", "hang up", "silence", "drip", "500", "502", "504"],
)
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_request_that_may_have_arrived_but_did_not_is_sent_again_after_the_longer_pause(scene: Scene, cut: Behaviour):
    scene.acme.plan(refused(cut), taken())
    reference = scene.apply()
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.AMBIGUOUS
    assert scene.deliver(after=AMBIGUOUS - 5) == 0
    scene.deliver(after=10)
    assert scene.overview(reference).state is OutboxState.DELIVERED
    assert scene.acme.counts() == {reference: 1}
    assert scene.acme.read_back == 1


@pytest.mark.parametrize("wrong", [html(), truncated(), drip("body")], ids=["HTML", "truncated", "drip"])
def test_a_success_response_of_a_proxy_is_verified_by_reading_back(scene: Scene, wrong: Behaviour):
    scene.acme.plan(Deed(takes=True, says=wrong))
    reference = scene.apply()
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.AMBIGUOUS
    scene.deliver(after=AMBIGUOUS + 5)
    assert scene.overview(reference).state is OutboxState.DELIVERED
    assert len(scene.acme.posted) == 1


def test_html_instead_of_json_leads_to_one_resend_at_most(scene: Scene):
    scene.acme.plan(refused(html()))
    reference = scene.apply()
    scene.deliver()
    scene.deliver(after=AMBIGUOUS + 5)
    assert scene.overview(reference).state is OutboxState.DEAD
    scene.deliver(after=30 * DAY)
    assert len(scene.acme.posted) == 2


@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_redirect_is_not_followed_and_nothing_is_lost(scene: Scene, status: int):
    to_globex = answer(status=status, headers={"Location": f"{scene.globex.url}/globex/vacancy-portal/jobs/job-1"})
    scene.acme.plan(refused(to_globex))
    reference = scene.apply()
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.RETRY
    assert scene.globex.posted == []
    scene.acme.plan(taken())
    scene.deliver(after=RETRY_BASE * 20 + 5)
    assert scene.overview(reference).state is OutboxState.DELIVERED


@pytest.mark.parametrize("status", [401, 403])
def test_a_configuration_error_opens_the_breaker_and_loses_nothing(scene: Scene, status: int):
    scene.acme.plan(refused(later(status)))
    references = [scene.apply(f"p{n}") for n in range(6)]
    scene.deliver()
    assert len(scene.acme.posted) == 1
    for _ in range(3):
        scene.deliver(after=RETRY_BASE * 20 + 5)
    assert len(scene.acme.posted) == 4
    scene.acme.plan(taken())
    scene.deliver(after=RETRY_BASE * 20 + 5)
    assert {scene.overview(one).state for one in references} == {OutboxState.DELIVERED}
    assert set(scene.acme.counts().values()) == {1}


@pytest.mark.parametrize("status", [404, 410])
def test_a_deleted_posting_gets_three_spaced_attempts(scene: Scene, status: int):
    scene.acme.plan(refused(later(status)))
    reference = scene.apply()
    for _ in range(40):
        scene.deliver(after=600)
    assert scene.overview(reference).state is OutboxState.DEAD
    assert len(scene.acme.posted) == 3


@pytest.mark.parametrize("status", [400, 413, 415, 422])
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_rejected_application_gets_three_attempts_within_a_day(scene: Scene, status: int):
    scene.acme.plan(refused(later(status)))
    reference = scene.apply()
    scene.deliver(after=DAY * 0.99)
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.RETRY
    for _ in range(40):
        scene.deliver(after=3_600)
    assert scene.overview(reference).state is OutboxState.DEAD
    assert len(scene.acme.posted) == 3


def test_an_application_fails_after_a_week_and_not_before(scene: Scene):
    scene.acme.down()
    reference = scene.apply()
    for _ in range(27):
        scene.deliver(after=DAY / 4)
        scene.work.run_housekeeping()
    assert scene.overview(reference).state is OutboxState.RETRY
    for _ in range(6):
        scene.deliver(after=DAY / 4)
    assert scene.overview(reference).state is OutboxState.DEAD
    assert "Not delivered" in scene.receipt(reference)
