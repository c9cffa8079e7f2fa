"""An action that is too late or not possible states the current state, at the console and by a command."""

import pytest

from portal.background.outbox.states import OutboxState
from portal.background.outbox.tables import outbox
from portal.cli.opened_services import operator_actions
from portal.operations.actions.actions import ActRefused
from portal.operations.actions.audit import ActionChannel, by_this_account
from tests.operations.console.operator_console import OperatorConsole, words

SENT = "only what is waiting or has failed can be sent now"
RELEASED = "only what is held for review, or for the candidate, can be released"
DISCARDED = "only what is neither delivered nor being sent can be discarded"


def put(console: OperatorConsole, reference: str, state: OutboxState, held_for: str | None = None) -> None:
    with console.parts.database.write() as connection:
        row = outbox.c.subject == reference
        connection.execute(outbox.update().where(row).values(state=state.value, held_for=held_for))


@pytest.mark.parametrize(
    ("state", "held_for", "act", "says"),
    [
        (OutboxState.SENDING, None, "retry", f"is being sent right now: {SENT}"),
        (OutboxState.SENDING, None, "discard", f"is being sent right now: {DISCARDED}"),
        (OutboxState.DELIVERED, None, "discard", f"is delivered: {DISCARDED}"),
        (OutboxState.DISCARDED, None, "retry", f"is discarded: {SENT}"),
        (OutboxState.HELD, "operator", "retry", f"is held for review: {SENT}"),
        (OutboxState.HELD, "person", "retry", f"is held until the candidate confirms it: {SENT}"),
        (
            OutboxState.HELD,
            None,
            "release",
            f"is held for the scanner, and continues after its file is scanned: {RELEASED}",
        ),
        (OutboxState.DUE, None, "release", f"is queued, and a worker will send it next: {RELEASED}"),
        (OutboxState.RETRY, None, "release", f"is waiting for its next attempt: {RELEASED}"),
        (
            OutboxState.AMBIGUOUS,
            None,
            "release",
            f"may have arrived, and the portal is checking the service: {RELEASED}",
        ),
        (OutboxState.DEAD, None, "release", f"has failed: {RELEASED}"),
    ],
)
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_the_current_status_and_possible_actions_are_named(
    console: OperatorConsole, state: OutboxState, held_for: str | None, act: str, says: str
):
    reference = console.scene.apply()
    before = {"release": (OutboxState.HELD, "operator")}.get(act, (OutboxState.DUE, None))
    put(console, reference, *before)
    address = f"/submissions/{reference}/discard" if act == "discard" else f"/submissions/{reference}"
    token = console.token(address, f"/submissions/{reference}/{act}")
    put(console, reference, state, held_for)
    with console.browser() as client:
        late = client.post(f"/submissions/{reference}/{act}", data={"token": token})
    assert late.status_code == 409
    assert f"Nothing was changed. {reference} {says}." in words(late.text)
    assert console.scene.overview(reference).state is state


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_no_confirmation_is_shown_for_an_impossible_discard(console: OperatorConsole):
    reference = console.scene.apply()
    put(console, reference, OutboxState.DELIVERED)
    with console.browser() as client:
        page = client.get(f"/submissions/{reference}/discard")
    assert page.status_code == 409
    assert f"Nothing was changed. {reference} is delivered: {DISCARDED}." in words(page.text)
    assert "Discard permanently" not in page.text


def test_an_action_on_a_deleted_row_is_reported(console: OperatorConsole):
    me = by_this_account(ActionChannel.COMMAND)
    with pytest.raises(ActRefused, match=r"^there is no submission ABCD$"):
        operator_actions(console.parts).retry(me, "ABCD")
    first = console.scene.apply()
    console.scene.deliver()
    with pytest.raises(ActRefused, match=f"^{first} is delivered"):
        operator_actions(console.parts).discard(me, first)


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize("path", ["..%2f..", "..%2f..%2fetc", "ABCD/burn", "ABCD"])
def test_unknown_pages_and_actions_are_not_found(console: OperatorConsole, path: str):
    with console.browser() as client:
        assert client.get(f"/submissions/{path}").status_code == 404
        if path != "ABCD":
            assert client.post(f"/submissions/{path}").status_code == 404


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_error_pages_are_small_for_any_request(console: OperatorConsole):
    with console.browser() as client:
        short, long = client.get("/nothing"), client.get("/nothing/" + "x" * 16_000, params={"y": "z" * 3_000})
    assert (short.status_code, long.status_code) == (404, 404)
    assert len(long.content) - len(short.content) < 3 * 500
