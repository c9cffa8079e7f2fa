"""An action that is too late or not possible states the current state, at the console and by a command."""

import pytest

from portal.background.outbox.states import OutboxState
from portal.background.outbox.tables import outbox
from portal.cli.opened_services import operator_actions
from portal.operations.actions.actions import ActRefused
from portal.operations.actions.audit import ActionChannel, by_this_account
from tests.operations.console.desk import Desk, words

SENT = "only what is waiting or has failed can be sent now"
RELEASED = "only what is held for review, or for the candidate, can be released"
DISCARDED = "only what is neither delivered nor being sent can be discarded"


def put(desk: Desk, reference: str, state: OutboxState, held_for: str | None = None) -> None:
    with desk.parts.database.write() as connection:
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
def test_the_state_is_named_and_what_may_be_done(
    desk: Desk, state: OutboxState, held_for: str | None, act: str, says: str
):
    reference = desk.scene.apply()
    before = {"release": (OutboxState.HELD, "operator")}.get(act, (OutboxState.DUE, None))
    put(desk, reference, *before)
    address = f"/submissions/{reference}/discard" if act == "discard" else f"/submissions/{reference}"
    token = desk.token(address, f"/submissions/{reference}/{act}")
    put(desk, reference, state, held_for)
    with desk.browser() as client:
        late = client.post(f"/submissions/{reference}/{act}", data={"token": token})
    assert late.status_code == 409
    assert f"Nothing was changed. {reference} {says}." in words(late.text)
    assert desk.scene.overview(reference).state is state


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_nobody_is_asked_whether_to_discard_what_cannot_be(desk: Desk):
    reference = desk.scene.apply()
    put(desk, reference, OutboxState.DELIVERED)
    with desk.browser() as client:
        page = client.get(f"/submissions/{reference}/discard")
    assert page.status_code == 409
    assert f"Nothing was changed. {reference} is delivered: {DISCARDED}." in words(page.text)
    assert "Discard permanently" not in page.text


def test_what_is_there_no_more_is_said_of_too(desk: Desk):
    me = by_this_account(ActionChannel.COMMAND)
    with pytest.raises(ActRefused, match=r"^there is no submission ABCD$"):
        operator_actions(desk.parts).retry(me, "ABCD")
    first = desk.scene.apply()
    desk.scene.deliver()
    with pytest.raises(ActRefused, match=f"^{first} is delivered"):
        operator_actions(desk.parts).discard(me, first)


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize("path", ["..%2f..", "..%2f..%2fetc", "ABCD/burn", "ABCD"])
def test_what_is_no_page_and_no_act_is_not_there(desk: Desk, path: str):
    with desk.browser() as client:
        assert client.get(f"/submissions/{path}").status_code == 404
        if path != "ABCD":
            assert client.post(f"/submissions/{path}").status_code == 404


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_an_error_page_stays_small_whatever_was_asked_for(desk: Desk):
    with desk.browser() as client:
        short, long = client.get("/nothing"), client.get("/nothing/" + "x" * 16_000, params={"y": "z" * 3_000})
    assert (short.status_code, long.status_code) == (404, 404)
    assert len(long.content) - len(short.content) < 3 * 500
