"""An operator gets from the start page to cause and remedy in at most three clicks; every action is logged."""

from portal.background.outbox.states import OutboxState
from tests.delivery.service import refused
from tests.operations.console.desk import Desk
from tests.parts.misbehaving import answer


def refuse(desk: Desk, status: int) -> None:
    desk.scene.acme.mood = lambda _: refused(answer({}, status=status))


def test_a_refused_key_is_named_on_the_first_page_with_its_remedy(desk: Desk):
    desk.scene.apply()
    refuse(desk, 401)
    desk.scene.deliver()
    said = desk.read("/")
    assert "Something is wrong" in said
    assert "Acme: The service rejects the API key Failing since" in said
    assert "Nothing is lost: 1 submission is waiting. Put a new key" in said
    assert said.index("Acme") < said.index("Globex")


def test_a_dead_one_is_found_understood_and_sent_again(desk: Desk):
    reference = desk.scene.apply()
    refuse(desk, 422)
    for _ in range(4):
        desk.scene.deliver(after=86_400 * 2)
    assert desk.scene.overview(reference).state is OutboxState.DEAD
    first = desk.page("/")
    assert "/submissions?tenant=acme&amp;state=dead" in first
    assert reference in desk.page("/submissions?tenant=acme&state=dead")
    one = desk.read(f"/submissions/{reference}")
    assert "The service rejects it in its current form. Ask the company what its service rejects" in one
    desk.scene.acme.plan(refused(answer({}, status=200)))
    pressed = desk.press(f"/submissions/{reference}", f"/submissions/{reference}/retry")
    assert (pressed.status_code, pressed.headers["Location"]) == (303, f"/submissions/{reference}?said=retry")
    for never in ("discard", "release"):
        assert 'role="status"' not in desk.page(f"/submissions/{reference}?said={never}")
    assert "It is queued" in desk.read(pressed.headers["Location"])
    assert desk.log() == [("desk", "retry", reference, "done")]
    desk.scene.deliver()
    assert desk.scene.overview(reference).state is OutboxState.DELIVERED
    assert "retried it in the console" in desk.read(f"/submissions/{reference}")
