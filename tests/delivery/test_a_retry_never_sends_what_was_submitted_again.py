"""An operator's retry does not send an application that the candidate has submitted again."""

import pytest

from portal.app import create_app
from portal.background.outbox.states import OutboxState
from portal.cli.opened_services import operator_actions
from portal.operations.actions.actions import ActRefused
from portal.operations.actions.audit import ActionChannel, ActionOutcome, by_this_account, entries
from portal.platform.crypto.sealing import Seal
from portal.worker import WorkerThreads
from tests.delivery.scene import SECRET, Scene
from tests.delivery.service import taken
from tests.delivery.test_a_failed_application_is_reported_to_candidate_and_operator import DAY, kill
from tests.operations.console.operator_console import OperatorConsole, open_console, words

NEW_SECRET = "another secret for tests, 32 char"


def died(scene: Scene, **typed: str) -> str:
    reference = scene.apply(**typed)
    kill(scene, reference)
    scene.acme.plan(taken())
    scene.deliver(after=DAY)  # the pause of the service is over
    return reference


def submitted_again(scene: Scene, **typed: str) -> str:
    reference = scene.apply(**typed)
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.DELIVERED
    return reference


def test_a_retry_is_refused_and_names_the_application_that_was_delivered(scene: Scene, command):
    dead, delivered = died(scene), submitted_again(scene)
    assert delivered != dead
    late = command("retry", dead)
    assert late.exit_code != 0
    assert f"submitted again as {delivered}, which is delivered" in str(late.exception)
    assert str(late.exception).endswith(f"see `portal submissions show {delivered}`")
    scene.deliver(after=DAY)
    assert scene.overview(dead).state is OutboxState.DEAD
    assert scene.acme.counts() == {delivered: 1}
    newest, *_ = entries(scene.parts.database, reference=dead)
    assert newest.outcome is ActionOutcome.REFUSED


def test_a_retry_is_refused_while_the_later_application_is_queued_and_after_its_erasure(scene: Scene, command):
    dead = died(scene)
    later = scene.apply()
    assert f"{later}, which is queued" in str(command("retry", dead).exception)
    scene.deliver()
    scene.clock.pass_time(40 * DAY)
    scene.work.run_housekeeping()
    assert scene.overview(later).state is OutboxState.PURGED
    assert f"{later}, which is delivered" in str(command("retry", dead).exception)


def test_a_retry_is_refused_after_a_change_of_the_secret_key(scene: Scene):
    dead = died(scene)
    scene.parts.seal = Seal(NEW_SECRET, [SECRET])
    scene.app, scene.work = create_app(scene.parts), WorkerThreads(scene.parts)
    delivered = submitted_again(scene)
    with pytest.raises(ActRefused, match=f"submitted again as {delivered}"):
        operator_actions(scene.parts).retry(by_this_account(ActionChannel.COMMAND), dead)


def test_a_changed_application_does_not_block_a_retry(scene: Scene, command):
    dead = died(scene)
    other = submitted_again(scene, phoneNumber="030 7654321")
    assert command("retry", dead).exit_code == 0
    scene.deliver(after=DAY)
    assert scene.acme.counts() == {dead: 1, other: 1}


def test_a_later_application_that_failed_too_does_not_block_a_retry(scene: Scene, command):
    first = died(scene)
    second = scene.apply()
    kill(scene, second)
    scene.acme.plan(taken())
    assert command("retry", first).exit_code == 0
    scene.deliver(after=DAY)
    assert f"submitted again as {first}" in str(command("retry", second).exception)
    assert scene.apply() == first
    scene.deliver(after=DAY)
    assert scene.acme.counts() == {first: 1}


def test_the_console_refuses_the_retry_too(desk: OperatorConsole):
    dead, delivered = died(desk.scene), submitted_again(desk.scene)
    late = desk.press(f"/submissions/{dead}", f"/submissions/{dead}/retry")
    assert late.status_code == 409
    assert f"submitted again as {delivered}, which is delivered" in words(late.text)


@pytest.fixture
def desk(scene: Scene) -> OperatorConsole:
    return open_console(scene)
