"""Until it is being sent, a change can be replaced; from then on the later one waits. Never both, never none."""

import threading

import pytest
import sqlalchemy as sa

from portal.background.outbox.claim import claim
from portal.background.outbox.retry_policy import Policy
from portal.background.outbox.tables import outbox
from portal.delivery.envelopes import receipt
from portal.delivery.envelopes.receipt import ReceiptState
from portal.delivery.record_changes.change import EarlierChangePending
from portal.delivery.record_changes.kind import CHANGE
from portal.people.index import history
from portal.people.index.history import HistoryEventKind
from tests.delivery.record_changes.change_scene import ChangeScene

ROUNDS = 12


def take(scene: ChangeScene) -> str | None:
    """Lease what is due as a worker that has not connected yet."""
    held = claim(scene.db, [CHANGE.name], Policy(), scene.portal.parts.clock.now())
    return held[0].subject if held else None


def changes(scene: ChangeScene) -> list[str]:
    with scene.db.read() as connection:
        return list(
            connection.execute(
                sa.select(outbox.c.state).where(outbox.c.kind == CHANGE.name).order_by(outbox.c.id)
            ).scalars()
        )


def test_only_the_later_change_is_sent_and_the_history_says_so(scene: ChangeScene):
    first = scene.send("Augusta")
    second = scene.send("Ada Augusta", replaces=first)
    scene.deliver()
    assert scene.relay.sent == ["Ada Augusta"]
    assert (scene.state(first), scene.state(second)) == ("discarded", "delivered")
    assert not scene.kept(first)
    events = history.lately(scene.db, tenant="acme", keys=scene.ada().keys)
    assert [(one.what, one.reference) for one in reversed(events)][:3] == [
        (HistoryEventKind.CHANGED, first),
        (HistoryEventKind.REPLACED, first),
        (HistoryEventKind.CHANGED, second),
    ]
    found = receipt.find(scene.db, tenant="acme", kind=CHANGE.name, reference=first)
    assert found is not None
    assert found.state is ReceiptState.REPLACED


def test_the_earlier_change_is_replaced_while_the_service_is_unavailable(scene: ChangeScene):
    before = scene.now()
    first = scene.send("Augusta", before=before)
    scene.relay.down = True
    scene.deliver()
    assert scene.state(first) == "retry"
    scene.send("Ada Augusta", replaces=first, before=before)
    scene.relay.down = False
    scene.deliver(after=3_600)
    assert scene.relay.sent == ["Ada Augusta"]


@pytest.mark.parametrize("told", ["", "another"])
def test_a_change_whose_owner_was_not_notified_is_not_replaced(scene: ChangeScene, told: str):
    first = scene.send("Augusta")
    with pytest.raises(EarlierChangePending) as blocked:
        scene.send("Ada Augusta", replaces=told)
    assert (blocked.value.waiting.reference, blocked.value.waiting.replaceable) == (
        first,
        True,
    )
    scene.deliver()
    assert scene.relay.sent == ["Augusta"]


def test_a_change_that_is_being_sent_is_not_replaced(scene: ChangeScene):
    first = scene.send("Augusta")
    assert take(scene) == first
    with pytest.raises(EarlierChangePending) as blocked:
        scene.send("Ada Augusta", replaces=first)
    assert not blocked.value.waiting.replaceable
    assert changes(scene) == ["sending"]


def test_a_change_that_may_have_arrived_is_not_replaced(scene: ChangeScene):
    first = scene.send("Augusta")
    scene.relay.refuse = 500
    scene.deliver()
    assert scene.state(first) == "ambiguous"
    with pytest.raises(EarlierChangePending):
        scene.send("Ada Augusta", replaces=first)
    assert scene.kept(first)


def test_a_change_that_may_have_arrived_is_not_replaced_even_if_the_last_attempt_failed(scene: ChangeScene):
    first = scene.send("Augusta")
    scene.relay.refuse = 500
    scene.deliver()
    scene.relay.refuse = 503
    scene.deliver(after=1_000)
    assert scene.state(first) == "retry"
    with pytest.raises(EarlierChangePending):
        scene.send("Ada Augusta", replaces=first)


def test_the_cv_of_a_replaced_change_is_deleted(scene: ChangeScene):
    first = scene.send("Augusta", cv=b"Notes on the Analytical Engine.\n" * 20)
    scene.send("Ada Augusta", replaces=first)
    scene.portal.work.run_housekeeping()
    assert list(scene.portal.parts.store.keys("acme/")) == []


def test_a_worker_and_a_concurrent_later_change_send_one_of_the_two(scene: ChangeScene):
    before, outcomes = scene.now(), set()
    for number in range(ROUNDS):
        first = scene.send(f"First {number}", before=before)
        start, taken, sent = threading.Barrier(2), [], []

        def worker(start=start, taken=taken) -> None:
            start.wait()
            taken.append(take(scene))

        def owner(start=start, sent=sent, first=first, number=number) -> None:
            start.wait()
            try:
                sent.append(scene.send(f"Second {number}", replaces=first, before=before))
            except EarlierChangePending:
                sent.append(None)

        threads = [threading.Thread(target=worker), threading.Thread(target=owner)]
        for one in threads:
            one.start()
        for one in threads:
            one.join(30)
        (second,) = sent
        if second is None:
            assert taken == [first]
            assert changes(scene)[-1] == "sending"
        else:
            assert taken[0] in {second, None}
            assert scene.state(first) == "discarded"
        outcomes.add(second is None)
        with scene.db.write() as connection:
            connection.execute(outbox.update().where(outbox.c.kind == CHANGE.name).values(state="discarded"))
    assert outcomes <= {True, False}
