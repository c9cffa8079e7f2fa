"""Who presses too late, or on the wrong one, is told how it stands: at the desk and by a command alike."""

import pytest

from portal.acts import doing
from portal.acts.audit import Way, by_this_account
from portal.acts.doing import ActRefused
from portal.outbox.states import State
from portal.outbox.tables import outbox
from tests.console.desk import Desk, words

SENT = "only what waits or is dead can be sent now"
RELEASED = "only what is held for a look, or for its sender, can be released"
DISCARDED = "only what is neither delivered nor being sent can be discarded"


def put(desk: Desk, reference: str, state: State, held_for: str | None = None) -> None:
    with desk.parts.database.write() as connection:
        row = outbox.c.subject == reference
        connection.execute(outbox.update().where(row).values(state=state.value, held_for=held_for))


@pytest.mark.parametrize(
    ("state", "held_for", "act", "says"),
    [
        (State.SENDING, None, "retry", f"is being sent just now: {SENT}"),
        (State.SENDING, None, "discard", f"is being sent just now: {DISCARDED}"),
        (State.DELIVERED, None, "discard", f"is delivered: {DISCARDED}"),
        (State.DISCARDED, None, "retry", f"is discarded: {SENT}"),
        (State.HELD, "operator", "retry", f"is held for a look: {SENT}"),
        (State.HELD, "person", "retry", f"is held until its sender confirms it: {SENT}"),
        (State.HELD, None, "release", f"is held for the scanner, and goes on when that has seen its file: {RELEASED}"),
        (State.DUE, None, "release", f"is due, and a worker takes it next: {RELEASED}"),
        (State.RETRY, None, "release", f"waits for its next try: {RELEASED}"),
        (State.AMBIGUOUS, None, "release", f"may have arrived, and is looked up at the service: {RELEASED}"),
        (State.DEAD, None, "release", f"is dead: {RELEASED}"),
    ],
)
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_the_state_is_named_and_what_may_be_done(desk: Desk, state: State, held_for: str | None, act: str, says: str):
    reference = desk.scene.apply()
    before = {"release": (State.HELD, "operator")}.get(act, (State.DUE, None))
    put(desk, reference, *before)
    address = f"/submissions/{reference}/discard" if act == "discard" else f"/submissions/{reference}"
    token = desk.token(address, f"/submissions/{reference}/{act}")
    put(desk, reference, state, held_for)
    with desk.browser() as client:
        late = client.post(f"/submissions/{reference}/{act}", data={"token": token})
    assert late.status_code == 409
    assert f"Nothing was done. {reference} {says}." in words(late.text)
    assert desk.scene.standing(reference).state is state


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_nobody_is_asked_whether_to_discard_what_cannot_be(desk: Desk):
    reference = desk.scene.apply()
    put(desk, reference, State.DELIVERED)
    with desk.browser() as client:
        page = client.get(f"/submissions/{reference}/discard")
    assert page.status_code == 409
    assert f"Nothing was done. {reference} is delivered: {DISCARDED}." in words(page.text)
    assert "Discard it for good" not in page.text


def test_what_is_there_no_more_is_said_of_too(desk: Desk):
    me = by_this_account(Way.COMMAND)
    with pytest.raises(ActRefused, match=r"^there is no submission ABCD$"):
        doing.retry(desk.parts, me, "ABCD")
    first = desk.scene.apply()
    desk.scene.deliver()
    with pytest.raises(ActRefused, match=f"^{first} is delivered"):
        doing.discard(desk.parts, me, first)


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize("path", ["..%2f..", "..%2f..%2fetc", "ABCD/burn", "ABCD"])
def test_what_is_no_page_and_no_act_is_not_there(desk: Desk, path: str):
    with desk.browser() as client:
        assert client.get(f"/submissions/{path}").status_code == 404
        if path != "ABCD":
            assert client.post(f"/submissions/{path}").status_code == 404
