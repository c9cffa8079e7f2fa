"""New, changed and removed addresses, deleted candidates, and a service that seems to have lost everybody."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from portal.adapters.tracker_client.errors import KeyRefused
from portal.background.sync import state
from portal.background.sync.lease import lock
from portal.background.sync.state import SyncIntervals, rules_with_source
from portal.background.sync.tables import ListName, passes
from portal.people.index.tables import candidate_addresses, candidates
from portal.platform.crypto.sealing import Seal
from tests.builders import SECRET
from tests.people.index.index_scene import IndexScene


def test_a_candidate_is_found_by_each_address_in_any_case(scene: IndexScene):
    scene.load(("ada-id", ["Ada@People.example", "countess@people.example"]))
    scene.sync()
    assert scene.ids("ada@people.example") == ["ada-id"]
    assert scene.ids("COUNTESS@people.example") == ["ada-id"]
    assert scene.ids("nobody@people.example") == []


def test_a_tenants_candidates_are_not_found_at_another(scene: IndexScene):
    scene.load(("ada-id", ["ada@people.example"]))
    scene.sync()
    scene.sync("globex")
    assert scene.ids("ada@people.example", "globex") == []


def test_a_replaced_address_is_removed_by_the_next_incremental_sync(scene: IndexScene):
    scene.load(("ada-id", ["ada@people.example", "old@people.example"]))
    scene.sync()
    scene.load(("ada-id", ["ada@people.example", "new@people.example"]))
    report = scene.sync()
    assert not report.full
    assert (report.changed, scene.ids("old@people.example"), scene.ids("new@people.example")) == (1, [], ["ada-id"])


def test_a_sync_without_changes_writes_nothing(scene: IndexScene):
    scene.load(*[(f"c-{n}", [f"c{n}@people.example"]) for n in range(120)])
    assert scene.sync().changed == 120
    assert scene.sync().changed == 0
    assert scene.sync(full=True).changed == 0


def test_a_deleted_candidate_is_removed_by_a_full_sync(scene: IndexScene):
    scene.load(("ada-id", ["ada@people.example"]), ("bob-id", ["bob@people.example"]))
    scene.sync()
    scene.delete("ada-id")
    assert scene.sync(full=True).withdrawn == 1
    assert (scene.ids("ada@people.example"), scene.ids("bob@people.example")) == ([], ["bob-id"])
    with scene.db.read() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(candidate_addresses)).scalar() == 1


def test_the_loss_of_nearly_all_candidates_is_not_accepted_without_confirmation(scene: IndexScene):
    scene.load(*[(f"c-{n}", [f"c{n}@people.example"]) for n in range(30)])
    scene.sync()
    scene.delete(*[f"c-{n}" for n in range(20)])
    report = scene.sync(full=True)
    assert (report.withdrawn, len(report.alarms)) == (0, 1)
    assert "20 of 30 candidates" in report.alarms[0]
    assert scene.ids("c1@people.example") == ["c-1"]
    assert scene.sync(full=True, force=True).withdrawn == 20


def test_an_empty_list_is_not_accepted(scene: IndexScene):
    scene.load(("ada-id", ["ada@people.example"]))
    scene.sync()
    scene.delete("ada-id")
    assert "1 of 1 candidates" in scene.sync(full=True).alarms[0]
    assert scene.ids("ada@people.example") == ["ada-id"]


def test_two_candidates_with_one_address_are_both_found(scene: IndexScene):
    scene.load(("ada-id", ["ada@people.example"]), ("second-id", ["ada@people.example"]))
    scene.sync()
    assert sorted(scene.ids("ada@people.example")) == ["ada-id", "second-id"]


def test_one_sync_of_a_tenant_runs_at_a_time_and_a_vanished_worker_is_replaced(scene: IndexScene):
    scene.load(("ada-id", ["ada@people.example"]))
    scene.sync()
    with lock(scene.db, ListName.CANDIDATES, "acme"):
        assert scene.sync().skipped
        assert not scene.sync("globex").skipped
    assert not scene.sync().skipped


def test_a_failed_sync_is_recorded_and_tried_again_after_the_pause(scene: IndexScene):
    scene.sync()
    scene.keys["acme"], right = "a-key-that-opens-nothing", scene.keys["acme"]
    with pytest.raises(KeyRefused):
        scene.sync()
    scene.keys["acme"] = right
    now, intervals = scene.clock.now(), SyncIntervals(60, 86_400)
    known = state.load(scene.db, ListName.CANDIDATES, "acme")
    rules = rules_with_source(scene.tenant().tracker)
    assert not known.is_due(intervals, rules, now)
    for later, whole in ((timedelta(seconds=60), False), (timedelta(days=1), True)):
        assert known.is_due(intervals, rules, now + later)
        assert known.wants_whole(intervals, rules, now + later) == whole
    assert not scene.sync().skipped


def test_the_database_contains_neither_ids_nor_addresses(scene: IndexScene):
    scene.load(("canary-candidate-id", ["canary@people.example"]))
    scene.sync()
    with scene.db.read() as connection:
        tables = (candidates, candidate_addresses, passes)
        stored = repr([connection.execute(sa.select(table)).all() for table in tables])
    assert "canary" not in stored.lower()


def test_entries_of_a_former_secret_key_are_found_and_a_full_sync_rewrites_them(scene: IndexScene):
    scene.load(("ada-id", ["ada@people.example"]))
    scene.sync()
    scene.seal = Seal("another secret for tests, 32 long", [SECRET])
    assert scene.ids("ada@people.example") == ["ada-id"]
    assert scene.sync(full=True).changed == 1
    scene.seal = Seal("another secret for tests, 32 long")
    assert scene.ids("ada@people.example") == ["ada-id"]
    with scene.db.read() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(candidates)).scalar() == 1


def test_a_former_key_that_was_missing_for_one_sync_causes_no_error(scene: IndexScene):
    scene.load(("ada-id", ["ada@people.example"]))
    scene.sync()
    scene.seal = Seal("another secret for tests, 32 long")
    scene.sync(full=True)
    scene.seal = Seal("another secret for tests, 32 long", [SECRET])
    scene.sync(full=True)
    assert scene.ids("ada@people.example") == ["ada-id"]
    with scene.db.read() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(candidates)).scalar() == 1
