"""A service may close an idle connection while a request is on its way: a lookup is then repeated once."""

import time

import pytest

from portal.adapters.tracker_client.errors import MayHaveArrived
from tests.adapters.tracker_client.calling import client
from tests.parts.misbehaving import Behaviour, answer, hang_up, misbehaving, reset

STAGES = answer({"stages": []})


@pytest.mark.parametrize("breaks", [hang_up, reset(), reset(b"HTTP/1.1 200 OK\r\nContent-Le")])
def test_a_lookup_whose_connection_breaks_is_repeated(breaks: Behaviour):
    with misbehaving(STAGES, breaks, STAGES) as server, client(server.url) as upstream:
        upstream.stages()
        upstream.stages()
        assert len(server.seen) == 3


def test_a_lookup_is_repeated_once_only():
    with misbehaving(hang_up) as server, client(server.url) as upstream:
        with pytest.raises(MayHaveArrived):
            upstream.stages()
        assert len(server.seen) == 2


def test_a_connection_is_not_used_again_after_four_idle_seconds():
    with misbehaving(STAGES) as server, client(server.url) as upstream:
        upstream.stages()
        upstream.stages()
        assert server.connections == 1
        time.sleep(4.5)
        upstream.stages()
        assert server.connections == 2
