"""A worker calls a thousand services in turn; keeping a connection to each would exhaust its file descriptors."""

from contextlib import ExitStack

import psutil

from portal.adapters.tracker_client.client import TrackerClient
from portal.adapters.tracker_client.deadline import DeadlineTransport
from portal.platform.clock import SystemClock
from tests.parts.misbehaving import answer, misbehaving


def test_idle_connections_over_a_limit_are_closed():
    with ExitStack() as stack:
        servers = [stack.enter_context(misbehaving(answer({"stages": []}))) for _ in range(60)]
        sockets = DeadlineTransport()
        stack.callback(sockets.close)
        for server in servers:
            client = TrackerClient(
                base_url=server.url, slug="acme", api_key="key", clock=SystemClock(), transport=sockets
            )
            client.stages()
            client.stages()
        ports = {server.port for server in servers}
        held = [one for one in psutil.Process().net_connections("inet") if one.raddr and one.raddr.port in ports]
        assert all(server.connections == 1 for server in servers)
        assert len([one for one in held if one.status == psutil.CONN_ESTABLISHED]) <= 32
