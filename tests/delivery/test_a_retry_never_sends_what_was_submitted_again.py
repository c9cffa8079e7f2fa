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
from tests.delivery.test_a_dead_one_is_seen_by_everyone_it_concerns import DAY, kill
from tests.operations.console.operator_console import OperatorConsole, open_console, words

NEW_SECRET = "another secret for tests, 32 char"


def died(here: Scene, **typed: str) -> str:
    reference = here.apply(**typed)
    kill(here, reference)
    here.acme.plan(taken())
    here.deliver(after=DAY)  # the service's rest is over
    return reference


def submitted_again(here: Scene, **typed: str) -> str:
    reference = here.apply(**typed)
    here.deliver()
    assert here.overview(reference).state is OutboxState.DELIVERED
    return reference


def test_a_retry_is_refused_and_names_the_one_that_was_delivered(here: Scene, command):
    dead, delivered = died(here), submitted_again(here)
    assert delivered != dead
    late = command("retry", dead)
    assert late.exit_code != 0
    assert f"submitted again as {delivered}, which is delivered" in str(late.exception)
    assert str(late.exception).endswith(f"see `portal submissions show {delivered}`")
    here.deliver(after=DAY)
    assert here.overview(dead).state is OutboxState.DEAD
    assert here.acme.counts() == {delivered: 1}
    newest, *_ = entries(here.parts.database, reference=dead)
    assert newest.outcome is ActionOutcome.REFUSED


def test_also_while_the_later_one_is_on_its_way_and_after_its_copy_is_erased(here: Scene, command):
    dead = died(here)
    later = here.apply()
    assert f"{later}, which is queued" in str(command("retry", dead).exception)
    here.deliver()
    here.clock.pass_time(40 * DAY)
    here.work.run_housekeeping()
    assert here.overview(later).state is OutboxState.PURGED
    assert f"{later}, which is delivered" in str(command("retry", dead).exception)


def test_also_after_the_secret_key_was_changed_between_the_two(here: Scene):
    dead = died(here)
    here.parts.seal = Seal(NEW_SECRET, [SECRET])
    here.app, here.work = create_app(here.parts), WorkerThreads(here.parts)
    delivered = submitted_again(here)
    with pytest.raises(ActRefused, match=f"submitted again as {delivered}"):
        operator_actions(here.parts).retry(by_this_account(ActionChannel.COMMAND), dead)


def test_what_was_changed_before_it_was_submitted_again_is_another_application(here: Scene, command):
    dead = died(here)
    other = submitted_again(here, phoneNumber="030 7654321")
    assert command("retry", dead).exit_code == 0
    here.deliver(after=DAY)
    assert here.acme.counts() == {dead: 1, other: 1}


def test_a_later_one_that_died_as_well_stops_no_retry_and_a_third_form_is_the_one_that_was_sent(here: Scene, command):
    first = died(here)
    second = here.apply()
    kill(here, second)
    here.acme.plan(taken())
    assert command("retry", first).exit_code == 0
    here.deliver(after=DAY)
    assert f"submitted again as {first}" in str(command("retry", second).exception)
    assert here.apply() == first
    here.deliver(after=DAY)
    assert here.acme.counts() == {first: 1}


def test_the_desk_says_so_too(desk: OperatorConsole):
    dead, delivered = died(desk.scene), submitted_again(desk.scene)
    late = desk.press(f"/submissions/{dead}", f"/submissions/{dead}/retry")
    assert late.status_code == 409
    assert f"submitted again as {delivered}, which is delivered" in words(late.text)


@pytest.fixture
def desk(here: Scene) -> OperatorConsole:
    return open_console(here)
