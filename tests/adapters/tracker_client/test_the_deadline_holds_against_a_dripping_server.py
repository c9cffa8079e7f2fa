"""A worker is free again when its time is up, however busy the other side keeps the line."""

import pytest

from portal.adapters.tracker_client.errors import MayHaveArrived
from portal.platform.clock import SystemClock
from tests.adapters.tracker_client.calling import client, submit
from tests.parts.misbehaving import Behaviour, answer, drip, misbehaving, says, silence
from tests.told_clock import ToldClock


@pytest.mark.parametrize(
    "behaviour",
    [drip("head"), drip("body"), silence(), says(b"HTTP/1.1 100 Continue\r\n\r\n" * 3)],
    ids=["header drip", "body drip", "silence", "only interim answers"],
)
def test_an_exchange_ends_when_its_time_is_up(behaviour: Behaviour) -> None:
    clock = SystemClock()
    with misbehaving(behaviour) as server, client(server.url, deadline=0.5) as upstream:
        for call in (lambda: submit(upstream), upstream.stages):
            began = clock.monotonic()
            with pytest.raises(MayHaveArrived):
                call()
            # A server that drips or is silent takes half a minute and more to end by itself.
            assert clock.monotonic() - began < 15


def test_time_is_counted_for_each_exchange_and_not_for_a_connection() -> None:
    clock = ToldClock()
    with misbehaving(answer({"stages": []})) as server, client(server.url, deadline=20, clock=clock) as upstream:
        for _ in range(4):
            upstream.stages()
            clock.pass_time(8)
        assert server.connections == 1
