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


def test_a_candidate_is_found_by_each_address_whatever_its_case(desk: Desk):
    desk.load(("ada-id", ["Ada@People.example", "countess@people.example"]))
    desk.sync()
    assert desk.ids("ada@people.example") == ["ada-id"]
    assert desk.ids("COUNTESS@people.example") == ["ada-id"]
    assert desk.ids("nobody@people.example") == []


def test_one_tenants_candidates_are_not_anothers(desk: Desk):
    desk.load(("ada-id", ["ada@people.example"]))
    desk.sync()
    desk.sync("globex")
    assert desk.ids("ada@people.example", "globex") == []


def test_a_changed_address_leaves_with_the_next_incremental_pass(desk: Desk):
    desk.load(("ada-id", ["ada@people.example", "old@people.example"]))
    desk.sync()
    desk.load(("ada-id", ["ada@people.example", "new@people.example"]))
    report = desk.sync()
    assert not report.full
    assert (report.changed, desk.ids("old@people.example"), desk.ids("new@people.example")) == (1, [], ["ada-id"])


def test_a_pass_that_finds_nothing_new_changes_nothing(desk: Desk):
    desk.load(*[(f"c-{n}", [f"c{n}@people.example"]) for n in range(120)])
    assert desk.sync().changed == 120
    assert desk.sync().changed == 0
    assert desk.sync(full=True).changed == 0


def test_a_deleted_candidate_leaves_with_a_full_pass(desk: Desk):
    desk.load(("ada-id", ["ada@people.example"]), ("bob-id", ["bob@people.example"]))
    desk.sync()
    desk.delete("ada-id")
    assert desk.sync(full=True).withdrawn == 1
    assert (desk.ids("ada@people.example"), desk.ids("bob@people.example")) == ([], ["bob-id"])
    with desk.db.read() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(candidate_addresses)).scalar() == 1


def test_a_service_that_lost_nearly_everybody_is_not_believed_unless_told_to(desk: Desk):
    desk.load(*[(f"c-{n}", [f"c{n}@people.example"]) for n in range(30)])
    desk.sync()
    desk.delete(*[f"c-{n}" for n in range(20)])
    report = desk.sync(full=True)
    assert (report.withdrawn, len(report.alarms)) == (0, 1)
    assert "20 of 30 candidates" in report.alarms[0]
    assert desk.ids("c1@people.example") == ["c-1"]
    assert desk.sync(full=True, force=True).withdrawn == 20


def test_an_empty_list_is_not_believed(desk: Desk):
    desk.load(("ada-id", ["ada@people.example"]))
    desk.sync()
    desk.delete("ada-id")
    assert "1 of 1 candidates" in desk.sync(full=True).alarms[0]
    assert desk.ids("ada@people.example") == ["ada-id"]


def test_two_candidates_of_one_address_are_both_found(desk: Desk):
    desk.load(("ada-id", ["ada@people.example"]), ("second-id", ["ada@people.example"]))
    desk.sync()
    assert sorted(desk.ids("ada@people.example")) == ["ada-id", "second-id"]


def test_one_pass_a_tenant_at_a_time_and_a_vanished_worker_is_replaced(desk: Desk):
    desk.load(("ada-id", ["ada@people.example"]))
    desk.sync()
    with lock(desk.db, ListName.CANDIDATES, "acme"):
        assert desk.sync().skipped
        assert not desk.sync("globex").skipped
    assert not desk.sync().skipped


def test_a_failed_pass_is_written_down_and_tried_again_after_the_pause(desk: Desk):
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


def test_the_database_holds_neither_ids_nor_addresses(desk: Desk):
    desk.load(("canary-candidate-id", ["canary@people.example"]))
    desk.sync()
    with desk.db.read() as connection:
        tables = (candidates, candidate_addresses, passes)
        stored = repr([connection.execute(sa.select(table)).all() for table in tables])
    assert "canary" not in stored.lower()


def test_a_new_secret_key_finds_what_the_former_wrote_and_a_full_pass_writes_it_anew(desk: Desk):
    desk.load(("ada-id", ["ada@people.example"]))
    desk.sync()
    desk.seal = Seal("another secret for tests, 32 long", [SECRET])
    assert desk.ids("ada@people.example") == ["ada-id"]
    assert desk.sync(full=True).changed == 1
    desk.seal = Seal("another secret for tests, 32 long")
    assert desk.ids("ada@people.example") == ["ada-id"]
    with desk.db.read() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(candidates)).scalar() == 1


def test_a_former_key_that_was_missing_for_a_pass_and_is_back_stops_nothing(desk: Desk):
    desk.load(("ada-id", ["ada@people.example"]))
    desk.sync()
    desk.seal = Seal("another secret for tests, 32 long")
    desk.sync(full=True)
    desk.seal = Seal("another secret for tests, 32 long", [SECRET])
    desk.sync(full=True)
    assert desk.ids("ada@people.example") == ["ada-id"]
    with desk.db.read() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(candidates)).scalar() == 1
