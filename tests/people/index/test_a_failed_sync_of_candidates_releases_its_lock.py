"""Any failure of a sync releases its lock and is counted, and the next sync starts when it is due."""

import httpx
import pytest

from portal.adapters.tracker_client.client import TrackerClient
from portal.background.sync import health
from portal.background.sync.tables import ListName
from portal.people.index import index
from tests.people.index.index_scene import IndexScene


class Broken(httpx.BaseTransport):
    """An unexpected error whose text contains a name."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:  # noqa: ARG002  httpx's signature
        raise ZeroDivisionError("ada@people.example")


def broken(scene: IndexScene) -> TrackerClient:
    link = scene.tenant().tracker
    return TrackerClient(
        base_url=link.base_url, slug=link.slug, api_key=link.api_key, clock=scene.clock, transport=Broken()
    )


def problems(scene: IndexScene) -> list[str]:
    return health.problems(scene.db, ListName.CANDIDATES, "acme", scene.clock.now())


def test_the_next_sync_is_not_delayed(scene: IndexScene):
    scene.load(("ada-id", ["ada@people.example"]))
    with pytest.raises(ZeroDivisionError):
        index.sync(scene.db, broken(scene), scene.tenant(), scene.seal, scene.clock)
    report = scene.sync()
    assert (report.skipped, report.seen) == (False, 1)


def test_the_failure_is_counted_and_logged_without_its_message(scene: IndexScene):
    scene.sync()
    scene.clock.pass_time(100)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            index.sync(scene.db, broken(scene), scene.tenant(), scene.seal, scene.clock)
    known = health.all_of(scene.db, ListName.CANDIDATES, scene.clock.now())["acme"]
    assert (known.failures, known.age) == (2, 100.0)
    (line,) = problems(scene)
    assert "2 in a row: an internal error: ZeroDivisionError at " in line
    assert "ada@" not in line
    assert "ada-id" not in line
    scene.sync()
    assert problems(scene) == []


def test_an_index_that_is_no_longer_synced_is_reported(scene: IndexScene):
    assert "not synced yet" in problems(scene)[0]
    scene.sync()
    scene.clock.pass_time(3_600)
    assert "60 minutes old" in problems(scene)[0]
