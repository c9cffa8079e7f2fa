import threading

import httpx

from portal.adapters.tracker_client.errors import TrackerError
from portal.background.sync import health as sync_health
from portal.background.sync.tables import ListName
from portal.jobs.mirror import mirror, state
from portal.tenants.model import Tenant, TrackerLink
from tests.jobs.conftest import ACME, Mirror
from tests.jobs.standin import vacancy

OTHER = Tenant(slug="globex", name="Globex", tracker=TrackerLink("http://127.0.0.1", "globex", "k" * 20))


def test_one_sync_per_tenant_runs_at_a_time(mirrored: Mirror):
    mirrored.service.put(vacancy("v1"))
    inside, go_on = threading.Event(), threading.Event()

    def slow(_: httpx.Request) -> None:
        inside.set()
        assert go_on.wait(20)

    mirrored.service.fault = slow
    worker = threading.Thread(target=mirrored.sync)
    worker.start()
    assert inside.wait(20)
    mirrored.service.fault = None
    assert mirrored.sync().skipped
    other = mirror.sync(mirrored.database, mirrored.service.client(), OTHER, mirrored.clock)
    assert not other.skipped
    go_on.set()
    worker.join()
    assert not mirrored.sync().skipped
    assert mirrored.find().total == 1


def test_a_failed_sync_releases_its_tenant(mirrored: Mirror):
    mirrored.service.fault = lambda _: httpx.Response(500)
    for _ in range(2):
        try:
            mirrored.sync()
        except TrackerError:
            continue
    mirrored.service.fault = None
    assert not mirrored.sync().skipped


def test_each_tenant_is_due_when_its_pause_is_over(mirrored: Mirror):
    assert mirrored.wanted(ACME, OTHER) == [("acme", True), ("globex", True)]
    mirrored.service.put(vacancy("v1"))
    mirrored.sync()
    assert mirrored.wanted(ACME, OTHER) == [("globex", True)]
    for _ in range(4):
        mirrored.clock.pass_time(59)
        assert mirrored.wanted() == []
        mirrored.clock.pass_time(1)
        assert mirrored.wanted() == [("acme", False)]
        mirrored.sync()
    mirrored.clock.pass_time(86_400)
    assert mirrored.wanted() == [("acme", True)]


def test_the_age_of_the_data_is_known(mirrored: Mirror):
    mirrored.service.put(vacancy("v1"))
    assert sync_health.all_of(mirrored.database, ListName.VACANCIES, mirrored.clock.now()) == {}
    assert "not synced yet" in state.problems(mirrored.database, ACME, mirrored.clock.now())[0]
    mirrored.sync()
    mirrored.clock.pass_time(7_200)
    now = mirrored.clock.now()
    known = sync_health.all_of(mirrored.database, ListName.VACANCIES, now)["acme"]
    assert (known.age, known.failures, known.error, known.alarm) == (7_200.0, 0, None, None)
    assert "120 minutes old" in state.problems(mirrored.database, ACME, now)[0]
    assert mirrored.find().total == 1
    assert state.set_aside(mirrored.database, "acme") == state.clashes(mirrored.database, "acme") == []
    mirrored.sync()
    assert state.problems(mirrored.database, ACME, now) == []
