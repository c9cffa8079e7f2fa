"""A failed application is shown to the applicant and the operator, in emails, receipt and list, with remedies."""

import json

from portal.background.outbox.states import OutboxState
from tests.delivery.scene import Scene
from tests.delivery.service import refused, taken
from tests.parts.misbehaving import answer

DAY = 86_400


def kill(scene: Scene, *references: str) -> None:
    scene.acme.plan(refused(answer(status=422)))
    for _ in range(60):
        scene.deliver(after=3_600)
    assert {scene.overview(one).state for one in references} == {OutboxState.DEAD}


def to(scene: Scene, address: str) -> list[str]:
    return [mail for mail in scene.mails() if f"To: {address}" in mail]


def test_the_candidate_is_told_what_to_do_and_the_operator_is_notified_immediately(scene: Scene):
    reference = scene.apply()
    kill(scene, reference)
    scene.deliver()
    assert "could not be delivered to Acme" in scene.receipt(reference).replace("\n", " ")
    told = to(scene, "ada@people.example")
    assert len(told) == 2
    assert "write to the company directly" in " ".join(told[1].replace("=\n", "").split())
    (notice,) = to(scene, "jobs@acme.example")
    assert reference in notice
    assert "ada@people.example" not in notice


def test_further_failures_within_the_hour_are_reported_in_one_digest(scene: Scene):
    references = [scene.apply(f"p{n}") for n in range(4)]
    scene.acme.down()
    scene.deliver(after=7 * DAY)
    scene.deliver(after=60)
    for _ in references:
        scene.clock.pass_time(DAY)
        scene.deliver()
        scene.work.run_housekeeping()
    scene.deliver(after=2 * DAY)
    scene.work.run_housekeeping()
    assert {scene.overview(one).state for one in references} == {OutboxState.DEAD}
    scene.deliver(after=3_700)
    notices = "\n".join(to(scene, "jobs@acme.example"))
    assert all(one in notices for one in references)


def test_the_list_shows_failed_applications_and_nothing_personal(scene: Scene, command):
    reference = scene.apply()
    alive = scene.apply("eve", tenant="globex")
    kill(scene, reference)
    found = json.loads(command("list", "--state", "dead", "--json").stdout)
    assert [one["reference"] for one in found] == [reference]
    assert found[0]["lastFailure"] == "Rejected"
    everything = command("list").stdout + command("list", "--json").stdout + command("show", reference).stdout
    assert alive in everything
    assert "people.example" not in everything
    assert "Lovelace" not in everything


def test_a_repeated_application_is_listed_once_and_marked_as_repeated(scene: Scene, command):
    first = scene.apply()
    assert "sent again" not in command("list").stdout
    assert scene.apply() == first
    (listed,) = json.loads(command("list", "--json").stdout)
    assert (listed["reference"], listed["standing"], listed["state"]) == (first, "received", "due")
    assert listed["sentAgainAt"] is not None
    assert "sent again" in command("list").stdout
    scene.deliver()
    (listed,) = json.loads(command("list", "--state", "delivered", "--json").stdout)
    assert listed["standing"] == "with-company"
    assert "With Acme" in scene.receipt(first)
    assert scene.acme.counts() == {first: 1}


def test_a_retry_sends_the_application_and_the_receipt_is_correct_again(scene: Scene, command):
    reference = scene.apply()
    kill(scene, reference)
    scene.acme.plan(taken())
    assert command("retry", reference).exit_code == 0
    waiting = scene.overview(reference)
    assert waiting.state is OutboxState.DUE
    assert waiting.next_attempt_at is not None
    assert "Received" in scene.receipt(reference)
    scene.deliver(after=DAY)
    assert scene.overview(reference).state is OutboxState.DELIVERED
    assert "is with Acme" in scene.receipt(reference)


def test_a_retry_resumes_the_other_deliveries_to_the_same_service(scene: Scene, command):
    scene.acme.plan(refused(answer(status=429, headers={"Retry-After": "999999"})), taken())
    reference = scene.apply()
    scene.deliver()
    assert scene.deliver(after=3_600) == 0
    assert command("retry", reference).exit_code == 0
    scene.clock.pass_time(3_600)
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.DELIVERED


def test_a_discarded_application_is_erased_with_its_cv_and_stays_listed(scene: Scene, command):
    reference = scene.apply()
    kill(scene, reference)
    assert len(list(scene.parts.store.keys("acme/"))) == 1
    assert command("discard", reference).exit_code == 0
    assert list(scene.parts.store.keys("acme/")) == []
    assert scene.overview(reference).state is OutboxState.DISCARDED
    again = command("discard", reference)
    assert again.exit_code != 0 or again.exception


def test_no_application_waits_for_ever_for_a_service_that_stays_down(scene: Scene):
    scene.acme.plan(refused(answer(status=401)))
    references = [scene.apply(f"p{n}") for n in range(12)]
    scene.deliver()
    for _ in range(16):
        scene.deliver(after=DAY / 2)
        scene.work.run_housekeeping()
    scene.work.run_housekeeping()
    assert {scene.overview(one).state for one in references} == {OutboxState.DEAD}
