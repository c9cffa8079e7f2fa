"""A worker reads a thousand tenants' services in turn; a connection left open to each would use up its files."""

from contextlib import ExitStack

import psutil

from portal.adapters.tracker_client.client import TrackerClient
from portal.adapters.tracker_client.deadline import DeadlineTransport
from portal.platform.clock import SystemClock
from tests.parts.misbehaving import answer, misbehaving


def test_what_is_idle_is_closed_beyond_a_few():
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
