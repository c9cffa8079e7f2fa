"""A failed application is shown to the applicant and the operator, in emails, receipt and list, with remedies."""

import json

from portal.background.outbox.states import OutboxState
from tests.delivery.scene import Scene
from tests.delivery.service import refused, taken
from tests.parts.misbehaving import answer

DAY = 86_400


def kill(here: Scene, *references: str) -> None:
    here.acme.plan(refused(answer(status=422)))
    for _ in range(60):
        here.deliver(after=3_600)
    assert {here.overview(one).state for one in references} == {OutboxState.DEAD}


def to(here: Scene, address: str) -> list[str]:
    return [mail for mail in here.mails() if f"To: {address}" in mail]


def test_the_candidate_is_told_what_to_do_and_the_operator_is_notified_immediately(here: Scene):
    reference = here.apply()
    kill(here, reference)
    here.deliver()
    assert "could not be delivered to Acme" in here.receipt(reference).replace("\n", " ")
    told = to(here, "ada@people.example")
    assert len(told) == 2
    assert "write to the company directly" in " ".join(told[1].replace("=\n", "").split())
    (notice,) = to(here, "jobs@acme.example")
    assert reference in notice
    assert "ada@people.example" not in notice


def test_further_failures_within_the_hour_are_reported_in_one_digest(here: Scene):
    references = [here.apply(f"p{n}") for n in range(4)]
    here.acme.down()
    here.deliver(after=7 * DAY)
    here.deliver(after=60)
    for _ in references:
        here.clock.pass_time(DAY)
        here.deliver()
        here.work.run_housekeeping()
    here.deliver(after=2 * DAY)
    here.work.run_housekeeping()
    assert {here.overview(one).state for one in references} == {OutboxState.DEAD}
    here.deliver(after=3_700)
    notices = "\n".join(to(here, "jobs@acme.example"))
    assert all(one in notices for one in references)


def test_the_list_shows_failed_applications_and_nothing_personal(here: Scene, command):
    reference = here.apply()
    alive = here.apply("eve", tenant="globex")
    kill(here, reference)
    found = json.loads(command("list", "--state", "dead", "--json").stdout)
    assert [one["reference"] for one in found] == [reference]
    assert found[0]["lastFailure"] == "Rejected"
    everything = command("list").stdout + command("list", "--json").stdout + command("show", reference).stdout
    assert alive in everything
    assert "people.example" not in everything
    assert "Lovelace" not in everything


def test_a_repeated_application_is_listed_once_and_marked_as_repeated(here: Scene, command):
    first = here.apply()
    assert "sent again" not in command("list").stdout
    assert here.apply() == first
    (listed,) = json.loads(command("list", "--json").stdout)
    assert (listed["reference"], listed["standing"], listed["state"]) == (first, "received", "due")
    assert listed["sentAgainAt"] is not None
    assert "sent again" in command("list").stdout
    here.deliver()
    (listed,) = json.loads(command("list", "--state", "delivered", "--json").stdout)
    assert listed["standing"] == "with-company"
    assert "With Acme" in here.receipt(first)
    assert here.acme.counts() == {first: 1}


def test_a_retry_sends_the_application_and_the_receipt_is_correct_again(here: Scene, command):
    reference = here.apply()
    kill(here, reference)
    here.acme.plan(taken())
    assert command("retry", reference).exit_code == 0
    waiting = here.overview(reference)
    assert waiting.state is OutboxState.DUE
    assert waiting.next_attempt_at is not None
    assert "Received" in here.receipt(reference)
    here.deliver(after=DAY)
    assert here.overview(reference).state is OutboxState.DELIVERED
    assert "is with Acme" in here.receipt(reference)


def test_a_retry_resumes_the_other_deliveries_to_the_same_service(here: Scene, command):
    here.acme.plan(refused(answer(status=429, headers={"Retry-After": "999999"})), taken())
    reference = here.apply()
    here.deliver()
    assert here.deliver(after=3_600) == 0
    assert command("retry", reference).exit_code == 0
    here.clock.pass_time(3_600)
    here.deliver()
    assert here.overview(reference).state is OutboxState.DELIVERED


def test_a_discarded_application_is_erased_with_its_cv_and_stays_listed(here: Scene, command):
    reference = here.apply()
    kill(here, reference)
    assert len(list(here.parts.store.keys("acme/"))) == 1
    assert command("discard", reference).exit_code == 0
    assert list(here.parts.store.keys("acme/")) == []
    assert here.overview(reference).state is OutboxState.DISCARDED
    again = command("discard", reference)
    assert again.exit_code != 0 or again.exception


def test_no_application_waits_for_ever_for_a_service_that_stays_down(here: Scene):
    here.acme.plan(refused(answer(status=401)))
    references = [here.apply(f"p{n}") for n in range(12)]
    here.deliver()
    for _ in range(16):
        here.deliver(after=DAY / 2)
        here.work.run_housekeeping()
    here.work.run_housekeeping()
    assert {here.overview(one).state for one in references} == {OutboxState.DEAD}
