"""After a faulty empty list, changes made in the meantime are read once the service lists records again."""

import json
from typing import Any

import httpx

from portal.adapters.tracker_client.client import TrackerClient
from portal.people.index import index
from tests.people.index.index_scene import IndexScene

EMPTY: dict[str, Any] = {"items": [], "pageInfo": {"nextCursor": None, "hasNextPage": False}}


class ServiceWithEmptyList(httpx.BaseTransport):
    """The real service, with an empty list of candidates."""

    def __init__(self, behind: httpx.BaseTransport) -> None:
        self._behind = behind

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = self._behind.handle_request(request)
        answer.read()
        headers = {name: answer.headers[name] for name in ("Content-Type", "Date") if name in answer.headers}
        return httpx.Response(200, headers=headers, stream=httpx.ByteStream(json.dumps(EMPTY).encode()))


def test_a_candidate_who_changed_while_the_list_was_empty_is_found_afterwards(scene: IndexScene):
    scene.load(("ada-id", ["ada@people.example"]))
    scene.sync()
    scene.load(("bob-id", ["bob@people.example"]))
    link, clock = scene.tenant().tracker, scene.clock
    empty = TrackerClient(
        base_url=link.base_url,
        slug=link.slug,
        api_key=link.api_key,
        clock=clock,
        transport=ServiceWithEmptyList(scene.service.transport),
    )
    for _ in range(3):
        clock.pass_time(1_800)
        index.sync(scene.db, empty, scene.tenant(), scene.seal, clock)
    scene.sync()
    assert scene.ids("bob@people.example") == ["bob-id"]
