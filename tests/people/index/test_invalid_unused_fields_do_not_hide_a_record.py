"""A record with an invalid value in a field that the portal does not use can still be opened."""

import json
from typing import Any

import httpx
import pytest

from portal.adapters.tracker_client.client import TrackerClient
from portal.delivery.record_changes.model import fetch
from portal.people.index import index
from tests.people.index.index_scene import IndexScene

UNREAD: list[dict[str, Any]] = [
    {"nextTaskDue": {"nextTaskDue": {"dueDate": "soon"}}},
    {"gender": 7},
    {"dateOfBirth": {"dateOfBirth": "long ago"}},
    {"locations": {"locations": [{"latitude": "north"}]}},
    {"customAttributes": "none"},
]


class ServiceWithInvalidFields(httpx.BaseTransport):
    """The real service, with an invalid value in every record."""

    def __init__(self, behind: httpx.BaseTransport, wrong: dict[str, Any]) -> None:
        self._behind = behind
        self._wrong = wrong

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = self._behind.handle_request(request)
        page = json.loads(answer.read())
        page["items"] = [item | self._wrong for item in page["items"]]
        return httpx.Response(200, stream=httpx.ByteStream(json.dumps(page).encode()))


@pytest.mark.parametrize("wrong", UNREAD, ids=lambda wrong: next(iter(wrong)))
def test_a_candidate_with_an_invalid_unused_field_is_found_and_sees_her_record(
    scene: IndexScene, wrong: dict[str, Any]
):
    scene.load(("ada-id", ["ada@people.example"]))
    link = scene.tenant().tracker
    careless = TrackerClient(
        base_url=link.base_url,
        slug=link.slug,
        api_key=link.api_key,
        clock=scene.clock,
        transport=ServiceWithInvalidFields(scene.service.transport, wrong),
    )
    index.sync(scene.db, careless, scene.tenant(), scene.seal, scene.clock)
    (ada,) = index.with_address(scene.db, scene.seal, "acme", "ada@people.example")
    found = fetch(careless, ada)
    assert found is not None
    assert [entry.value for entry in found.record.emails] == ["ada@people.example"]
