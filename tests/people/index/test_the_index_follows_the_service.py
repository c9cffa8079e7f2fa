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
from tests.people.index.desk import Desk


def test_a_candidate_is_found_by_each_address_in_any_case(desk: Desk):
    desk.load(("ada-id", ["Ada@People.example", "countess@people.example"]))
    desk.sync()
    assert desk.ids("ada@people.example") == ["ada-id"]
    assert desk.ids("COUNTESS@people.example") == ["ada-id"]
    assert desk.ids("nobody@people.example") == []


def test_a_tenants_candidates_are_not_found_at_another(desk: Desk):
    desk.load(("ada-id", ["ada@people.example"]))
    desk.sync()
    desk.sync("globex")
    assert desk.ids("ada@people.example", "globex") == []


def test_a_replaced_address_is_removed_by_the_next_incremental_sync(desk: Desk):
    desk.load(("ada-id", ["ada@people.example", "old@people.example"]))
    desk.sync()
    desk.load(("ada-id", ["ada@people.example", "new@people.example"]))
    report = desk.sync()
    assert not report.full
    assert (report.changed, desk.ids("old@people.example"), desk.ids("new@people.example")) == (1, [], ["ada-id"])


def test_a_sync_without_changes_writes_nothing(desk: Desk):
    desk.load(*[(f"c-{n}", [f"c{n}@people.example"]) for n in range(120)])
    assert desk.sync().changed == 120
    assert desk.sync().changed == 0
    assert desk.sync(full=True).changed == 0


def test_a_deleted_candidate_is_removed_by_a_full_sync(desk: Desk):
    desk.load(("ada-id", ["ada@people.example"]), ("bob-id", ["bob@people.example"]))
    desk.sync()
    desk.delete("ada-id")
    assert desk.sync(full=True).withdrawn == 1
    assert (desk.ids("ada@people.example"), desk.ids("bob@people.example")) == ([], ["bob-id"])
    with desk.db.read() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(candidate_addresses)).scalar() == 1


def test_the_loss_of_nearly_all_candidates_is_not_accepted_without_confirmation(desk: Desk):
    desk.load(*[(f"c-{n}", [f"c{n}@people.example"]) for n in range(30)])
    desk.sync()
    desk.delete(*[f"c-{n}" for n in range(20)])
    report = desk.sync(full=True)
    assert (report.withdrawn, len(report.alarms)) == (0, 1)
    assert "20 of 30 candidates" in report.alarms[0]
    assert desk.ids("c1@people.example") == ["c-1"]
    assert desk.sync(full=True, force=True).withdrawn == 20


def test_an_empty_list_is_not_accepted(desk: Desk):
    desk.load(("ada-id", ["ada@people.example"]))
    desk.sync()
    desk.delete("ada-id")
    assert "1 of 1 candidates" in desk.sync(full=True).alarms[0]
    assert desk.ids("ada@people.example") == ["ada-id"]


def test_two_candidates_with_one_address_are_both_found(desk: Desk):
    desk.load(("ada-id", ["ada@people.example"]), ("second-id", ["ada@people.example"]))
    desk.sync()
    assert sorted(desk.ids("ada@people.example")) == ["ada-id", "second-id"]


def test_one_sync_of_a_tenant_runs_at_a_time_and_a_vanished_worker_is_replaced(desk: Desk):
    desk.load(("ada-id", ["ada@people.example"]))
    desk.sync()
    with lock(desk.db, ListName.CANDIDATES, "acme"):
        assert desk.sync().skipped
        assert not desk.sync("globex").skipped
    assert not desk.sync().skipped


def test_a_failed_sync_is_recorded_and_tried_again_after_the_pause(desk: Desk):
    desk.sync()
    desk.keys["acme"], right = "a-key-that-opens-nothing", desk.keys["acme"]
    with pytest.raises(KeyRefused):
        desk.sync()
    desk.keys["acme"] = right
    now, intervals = desk.clock.now(), SyncIntervals(60, 86_400)
    known = state.load(desk.db, ListName.CANDIDATES, "acme")
    rules = rules_with_source(desk.tenant().tracker)
    assert not known.is_due(intervals, rules, now)
    for later, whole in ((timedelta(seconds=60), False), (timedelta(days=1), True)):
        assert known.is_due(intervals, rules, now + later)
        assert known.wants_whole(intervals, rules, now + later) == whole
    assert not desk.sync().skipped


def test_the_database_contains_neither_ids_nor_addresses(desk: Desk):
    desk.load(("canary-candidate-id", ["canary@people.example"]))
    desk.sync()
    with desk.db.read() as connection:
        tables = (candidates, candidate_addresses, passes)
        stored = repr([connection.execute(sa.select(table)).all() for table in tables])
    assert "canary" not in stored.lower()


def test_entries_of_a_former_secret_key_are_found_and_a_full_sync_rewrites_them(desk: Desk):
    desk.load(("ada-id", ["ada@people.example"]))
    desk.sync()
    desk.seal = Seal("another secret for tests, 32 long", [SECRET])
    assert desk.ids("ada@people.example") == ["ada-id"]
    assert desk.sync(full=True).changed == 1
    desk.seal = Seal("another secret for tests, 32 long")
    assert desk.ids("ada@people.example") == ["ada-id"]
    with desk.db.read() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(candidates)).scalar() == 1


def test_a_former_key_that_was_missing_for_one_sync_causes_no_error(desk: Desk):
    desk.load(("ada-id", ["ada@people.example"]))
    desk.sync()
    desk.seal = Seal("another secret for tests, 32 long")
    desk.sync(full=True)
    desk.seal = Seal("another secret for tests, 32 long", [SECRET])
    desk.sync(full=True)
    assert desk.ids("ada@people.example") == ["ada-id"]
    with desk.db.read() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(candidates)).scalar() == 1
