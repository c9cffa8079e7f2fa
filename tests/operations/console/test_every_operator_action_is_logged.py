"""The audit log records who did what, when and with which outcome, from console and commands, including rejections."""

from datetime import timedelta

import pytest
from click.testing import CliRunner, Result

from portal.background.outbox.states import OutboxState
from portal.cli import portal
from portal.delivery.envelopes import submissions
from portal.delivery.kinds import KINDS
from portal.operations.actions import audit
from portal.operations.actions.audit import KEPT, Action, ActionChannel, ActionOutcome, Actor, by_this_account
from tests.delivery.service import refused
from tests.operations.console.operator_console import OperatorConsole
from tests.parts.misbehaving import answer


def command(console: OperatorConsole, *words: str) -> Result:
    settings = console.parts.settings
    environment = {
        "PORTAL_SECRET_KEY": settings.secret_key,
        "PORTAL_DATABASE_URL": settings.database_url,
        "PORTAL_TENANTS": str(settings.tenants),
        "PORTAL_ATTACHMENTS": settings.attachments,
    }
    return CliRunner().invoke(portal, words, env=environment)


def failed_application(console: OperatorConsole) -> str:
    reference = console.scene.apply()
    console.scene.acme.mood = lambda _: refused(answer({}, status=422))
    for _ in range(4):
        console.scene.deliver(after=86_400 * 2)
    assert console.scene.overview(reference).state is OutboxState.DEAD
    return reference


def test_a_command_is_logged_with_the_account_that_ran_it(console: OperatorConsole):
    reference = failed_application(console)
    assert command(console, "submissions", "retry", reference.lower()).exit_code == 0
    assert command(console, "submissions", "release", reference).exception
    assert command(console, "submissions", "discard", reference).exit_code == 0
    assert command(console, "submissions", "discard", reference).exception
    assert command(console, "requests", "done", reference).exception
    assert console.log() == [
        ("command", "done", reference, "refused"),
        ("command", "discard", reference, "refused"),
        ("command", "discard", reference, "done"),
        ("command", "release", reference, "refused"),
        ("command", "retry", reference, "done"),
    ]
    names = {one.by.name for one in audit.entries(console.parts.database)}
    assert names == {by_this_account(ActionChannel.COMMAND).name}
    said = console.read("/log")
    assert "retried it from the command line" in said
    assert "Rejected, nothing was changed" in said


def test_invalid_references_are_not_logged(console: OperatorConsole):
    assert command(console, "submissions", "retry", "ada@people.example").exception
    assert console.log() == [("command", "retry", None, "refused")]


def test_discarding_in_the_console_asks_for_confirmation_and_names_what_is_lost(console: OperatorConsole):
    reference = failed_application(console)
    asked = console.read(f"/submissions/{reference}/discard")
    assert "Its content and CV are erased here, and it is never sent. This cannot be undone." in asked
    assert console.scene.overview(reference).state is OutboxState.DEAD
    pressed = console.press(f"/submissions/{reference}/discard", f"/submissions/{reference}/discard")
    assert pressed.status_code == 303
    assert "It is discarded" in console.read(pressed.headers["Location"])
    assert console.scene.overview(reference).state is OutboxState.DISCARDED
    assert list(console.parts.store.keys("acme/")) == []
    assert console.log() == [("desk", "discard", reference, "done")]


def test_actions_that_are_too_late_are_rejected_with_a_reason_and_logged(console: OperatorConsole):
    reference = console.scene.apply()
    token = console.token(f"/submissions/{reference}", f"/submissions/{reference}/retry")
    console.scene.deliver()
    with console.browser() as client:
        late = client.post(f"/submissions/{reference}/retry", data={"token": token})
    assert late.status_code == 409
    assert "Nothing was changed." in late.text
    assert f"{reference} is delivered: only what is waiting or has failed can be sent now" in late.text
    assert console.log() == [("desk", "retry", reference, "refused")]
    assert "/retry" not in console.page(f"/submissions/{reference}")


def test_an_application_held_for_review_is_released(console: OperatorConsole):
    from portal.background.outbox.tables import outbox

    reference = console.scene.apply()
    with console.parts.database.write() as connection:
        connection.execute(
            outbox.update().where(outbox.c.subject == reference).values(state="held", held_for="operator")
        )
    assert "held for review: a bot may have sent it" in console.read("/")
    assert "It may have been sent by a bot. Find out why, then release or discard it." in console.read(
        f"/submissions/{reference}"
    )
    pressed = console.press(f"/submissions/{reference}", f"/submissions/{reference}/release")
    assert pressed.status_code == 303
    assert console.scene.overview(reference).state is OutboxState.DUE
    assert console.log() == [("desk", "release", reference, "done")]


def test_an_action_and_its_log_entry_are_one_transaction(console: OperatorConsole):
    """If the log entry cannot be written, the action is not carried out."""
    reference = console.scene.apply()

    def noted(_connection: object, _is_done: bool) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        submissions.discard(console.parts.database, KINDS, reference, console.parts.clock, noted=noted)
    assert console.scene.overview(reference).state is OutboxState.DUE


def test_log_entries_are_kept_for_four_hundred_days(console: OperatorConsole):
    now, by = console.parts.clock.now(), Actor("root", ActionChannel.COMMAND)
    with console.parts.database.write() as connection:
        for at in (now - KEPT - timedelta(seconds=1), now - KEPT):
            audit.write(connection, by, Action.WAKE, ActionOutcome.DONE, at, tenant="acme")
    console.scene.work.run_housekeeping()
    assert [one.at for one in audit.entries(console.parts.database)] == [now - KEPT]


def test_the_log_is_read_page_by_page(console: OperatorConsole):
    by = Actor("root", ActionChannel.COMMAND)
    with console.parts.database.write() as connection:
        for number in range(51):
            audit.write(
                connection, by, Action.RETRY, ActionOutcome.DONE, console.parts.clock.now(), reference=f"REF{number:03}"
            )
    first = console.page("/log")
    assert (first.count("<tr>"), "REF050" in first, "REF000" in first) == (51, True, False)
    older = first.partition('rel="next" href="')[2].partition('"')[0]
    assert "REF000" in console.page(older)
