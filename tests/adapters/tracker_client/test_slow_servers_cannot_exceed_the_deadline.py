"""A request ends at its deadline, even if the server keeps sending a little."""

import pytest

from portal.adapters.tracker_client.errors import MayHaveArrived, NotSent
from portal.platform.clock import SystemClock
from tests.adapters.tracker_client.calling import client, submit
from tests.parts.misbehaving import Behaviour, answer, drip, misbehaving, says, silence
from tests.told_clock import ToldClock


@pytest.mark.parametrize(
    "behaviour",
    [drip("head"), drip("body"), silence(), says(b"HTTP/1.1 100 Continue\r\n\r\n" * 3)],
    ids=["header drip", "body drip", "silence", "only interim answers"],
)
def test_a_request_ends_at_its_deadline(behaviour: Behaviour) -> None:
    clock = SystemClock()
    with misbehaving(behaviour) as server, client(server.url, deadline=0.5) as upstream:
        for call in (lambda: submit(upstream), upstream.stages):
            began = clock.monotonic()
            with pytest.raises(MayHaveArrived):
                call()
            # Without the deadline, such a server would end the response after half a minute or more.
            assert clock.monotonic() - began < 15


def test_each_request_on_a_connection_has_its_own_deadline() -> None:
    clock = ToldClock()
    with misbehaving(answer({"stages": []})) as server, client(server.url, deadline=20, clock=clock) as upstream:
        for _ in range(4):
            upstream.stages()
            clock.pass_time(8)
        assert server.connections == 1


def test_a_request_that_begins_after_its_deadline_is_not_sent() -> None:
    """On a busy machine, the time can be up before the request is."""
    with misbehaving(answer({"stages": []})) as server, client(server.url, deadline=0) as upstream:
        for call in (lambda: submit(upstream), upstream.stages):
            with pytest.raises(NotSent):
                call()
        assert server.connections == 0
