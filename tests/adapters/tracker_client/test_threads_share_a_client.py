"""Concurrent deliveries share one client, each with its own deadline."""

from concurrent.futures import ThreadPoolExecutor

from portal.adapters.tracker_client.errors import MayHaveArrived
from tests.adapters.tracker_client.calling import client, submit
from tests.parts.misbehaving import answer, drip, misbehaving


def test_a_late_response_does_not_affect_other_threads() -> None:
    def outcome(_: int) -> str:
        try:
            submit(upstream)
        except MayHaveArrived:
            return "late"
        return "sent"

    with misbehaving(drip("body"), answer({})) as server, client(server.url, deadline=5) as upstream:
        with ThreadPoolExecutor(8) as pool:
            outcomes = list(pool.map(outcome, range(40)))
        assert sorted(outcomes) == ["late"] + ["sent"] * 39
        assert server.connections <= 8
