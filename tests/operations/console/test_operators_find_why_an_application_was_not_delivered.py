"""An operator gets from the start page to cause and remedy in at most three clicks; every action is logged."""

from portal.background.outbox.states import OutboxState
from tests.delivery.service import refused
from tests.operations.console.operator_console import OperatorConsole
from tests.parts.misbehaving import answer


def refuse(console: OperatorConsole, status: int) -> None:
    console.scene.acme.mood = lambda _: refused(answer({}, status=status))


def test_a_rejected_key_is_shown_on_the_start_page_with_its_remedy(console: OperatorConsole):
    console.scene.apply()
    refuse(console, 401)
    console.scene.deliver()
    said = console.read("/")
    assert "Something is wrong" in said
    assert "Acme: The service rejects the API key Failing since" in said
    assert "Nothing is lost: 1 submission is waiting. Put a new key" in said
    assert said.index("Acme") < said.index("Globex")


def test_a_failed_application_is_found_explained_and_sent_again(console: OperatorConsole):
    reference = console.scene.apply()
    refuse(console, 422)
    for _ in range(4):
        console.scene.deliver(after=86_400 * 2)
    assert console.scene.overview(reference).state is OutboxState.DEAD
    first = console.page("/")
    assert "/submissions?tenant=acme&amp;state=dead" in first
    assert reference in console.page("/submissions?tenant=acme&state=dead")
    one = console.read(f"/submissions/{reference}")
    assert "The service rejects it in its current form. Ask the company what its service rejects" in one
    console.scene.acme.plan(refused(answer({}, status=200)))
    pressed = console.press(f"/submissions/{reference}", f"/submissions/{reference}/retry")
    assert (pressed.status_code, pressed.headers["Location"]) == (303, f"/submissions/{reference}?said=retry")
    for never in ("discard", "release"):
        assert 'role="status"' not in console.page(f"/submissions/{reference}?said={never}")
    assert "It is queued" in console.read(pressed.headers["Location"])
    assert console.log() == [("desk", "retry", reference, "done")]
    console.scene.deliver()
    assert console.scene.overview(reference).state is OutboxState.DELIVERED
    assert "retried it in the console" in console.read(f"/submissions/{reference}")
