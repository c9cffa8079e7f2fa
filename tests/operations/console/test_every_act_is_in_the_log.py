"""The audit log records who did what, when and with which outcome, from console and commands, refusals too."""

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
from tests.operations.console.desk import Desk
from tests.parts.misbehaving import answer


def command(desk: Desk, *words: str) -> Result:
    settings = desk.parts.settings
    environment = {
        "PORTAL_SECRET_KEY": settings.secret_key,
        "PORTAL_DATABASE_URL": settings.database_url,
        "PORTAL_TENANTS": str(settings.tenants),
        "PORTAL_ATTACHMENTS": settings.attachments,
    }
    return CliRunner().invoke(portal, words, env=environment)


def dead(desk: Desk) -> str:
    reference = desk.scene.apply()
    desk.scene.acme.mood = lambda _: refused(answer({}, status=422))
    for _ in range(4):
        desk.scene.deliver(after=86_400 * 2)
    assert desk.scene.overview(reference).state is OutboxState.DEAD
    return reference


def test_a_command_writes_a_line_under_the_account_that_ran_it(desk: Desk):
    reference = dead(desk)
    assert command(desk, "submissions", "retry", reference.lower()).exit_code == 0
    assert command(desk, "submissions", "release", reference).exception
    assert command(desk, "submissions", "discard", reference).exit_code == 0
    assert command(desk, "submissions", "discard", reference).exception
    assert command(desk, "requests", "done", reference).exception
    assert desk.log() == [
        ("command", "done", reference, "refused"),
        ("command", "discard", reference, "refused"),
        ("command", "discard", reference, "done"),
        ("command", "release", reference, "refused"),
        ("command", "retry", reference, "done"),
    ]
    names = {one.by.name for one in audit.entries(desk.parts.database)}
    assert names == {by_this_account(ActionChannel.COMMAND).name}
    said = desk.read("/log")
    assert "retried it from the command line" in said
    assert "Rejected, nothing was changed" in said


def test_what_is_typed_and_is_no_reference_is_not_kept(desk: Desk):
    assert command(desk, "submissions", "retry", "ada@people.example").exception
    assert desk.log() == [("command", "retry", None, "refused")]


def test_discarding_at_the_desk_asks_first_and_says_what_goes(desk: Desk):
    reference = dead(desk)
    asked = desk.read(f"/submissions/{reference}/discard")
    assert "Its content and CV are erased here, and it is never sent. This cannot be undone." in asked
    assert desk.scene.overview(reference).state is OutboxState.DEAD
    pressed = desk.press(f"/submissions/{reference}/discard", f"/submissions/{reference}/discard")
    assert pressed.status_code == 303
    assert "It is discarded" in desk.read(pressed.headers["Location"])
    assert desk.scene.overview(reference).state is OutboxState.DISCARDED
    assert list(desk.parts.store.keys("acme/")) == []
    assert desk.log() == [("desk", "discard", reference, "done")]


def test_what_came_too_late_is_refused_in_words_and_written_down(desk: Desk):
    reference = desk.scene.apply()
    token = desk.token(f"/submissions/{reference}", f"/submissions/{reference}/retry")
    desk.scene.deliver()
    with desk.browser() as client:
        late = client.post(f"/submissions/{reference}/retry", data={"token": token})
    assert late.status_code == 409
    assert "Nothing was changed." in late.text
    assert f"{reference} is delivered: only what is waiting or has failed can be sent now" in late.text
    assert desk.log() == [("desk", "retry", reference, "refused")]
    assert "/retry" not in desk.page(f"/submissions/{reference}")


def test_what_is_held_for_a_look_is_released(desk: Desk):
    from portal.background.outbox.tables import outbox

    reference = desk.scene.apply()
    with desk.parts.database.write() as connection:
        connection.execute(
            outbox.update().where(outbox.c.subject == reference).values(state="held", held_for="operator")
        )
    assert "held for review: a bot may have sent it" in desk.read("/")
    assert "It may have been sent by a bot. Find out why, then release or discard it." in desk.read(
        f"/submissions/{reference}"
    )
    pressed = desk.press(f"/submissions/{reference}", f"/submissions/{reference}/release")
    assert pressed.status_code == 303
    assert desk.scene.overview(reference).state is OutboxState.DUE
    assert desk.log() == [("desk", "release", reference, "done")]


def test_an_act_and_its_line_are_one_transaction(desk: Desk):
    """If the log entry cannot be written, the action is not carried out."""
    reference = desk.scene.apply()

    def noted(_connection: object, _is_done: bool) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        submissions.discard(desk.parts.database, KINDS, reference, desk.parts.clock, noted=noted)
    assert desk.scene.overview(reference).state is OutboxState.DUE


def test_lines_are_kept_for_four_hundred_days(desk: Desk):
    now, by = desk.parts.clock.now(), Actor("root", ActionChannel.COMMAND)
    with desk.parts.database.write() as connection:
        for at in (now - KEPT - timedelta(seconds=1), now - KEPT):
            audit.write(connection, by, Action.WAKE, ActionOutcome.DONE, at, tenant="acme")
    desk.scene.work.run_housekeeping()
    assert [one.at for one in audit.entries(desk.parts.database)] == [now - KEPT]


def test_the_log_is_read_page_by_page(desk: Desk):
    by = Actor("root", ActionChannel.COMMAND)
    with desk.parts.database.write() as connection:
        for number in range(51):
            audit.write(
                connection, by, Action.RETRY, ActionOutcome.DONE, desk.parts.clock.now(), reference=f"REF{number:03}"
            )
    first = desk.page("/log")
    assert (first.count("<tr>"), "REF050" in first, "REF000" in first) == (51, True, False)
    older = first.partition('rel="next" href="')[2].partition('"')[0]
    assert "REF000" in desk.page(older)
