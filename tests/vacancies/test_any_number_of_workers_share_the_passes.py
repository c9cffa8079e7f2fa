import threading

import httpx

from portal.tenants.model import Tenant, TrackerLink
from portal.vacancies import health, mirror
from tests.vacancies.conftest import ACME, Mirror
from tests.vacancies.standin import vacancy

OTHER = Tenant(slug="globex", name="Globex", tracker=TrackerLink("http://127.0.0.1", "globex", "k" * 20))


def test_one_pass_per_tenant_at_a_time(mirrored: Mirror):
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


def test_a_pass_that_failed_gives_the_tenant_back(mirrored: Mirror):
    mirrored.service.fault = lambda _: httpx.Response(500)
    for _ in range(2):
        try:
            mirrored.sync()
        except mirror.UpstreamError:
            continue
    mirrored.service.fault = None
    assert not mirrored.sync().skipped


def test_each_tenant_is_due_when_its_pause_is_over(mirrored: Mirror):
    def wanted(tenants: list[Tenant] | None = None) -> list[tuple[str, bool]]:
        found = mirror.due(mirrored.database, tenants or [ACME], mirrored.clock.now(), 60, 86_400)
        return [(tenant.slug, full) for tenant, full in found]

    assert wanted([ACME, OTHER]) == [("acme", True), ("globex", True)]
    mirrored.service.put(vacancy("v1"))
    mirrored.sync()
    assert wanted([ACME, OTHER]) == [("globex", True)]
    for _ in range(4):
        mirrored.clock.pass_time(59)
        assert wanted() == []
        mirrored.clock.pass_time(1)
        assert wanted() == [("acme", False)]
        mirrored.sync()
    mirrored.clock.pass_time(86_400)
    assert wanted() == [("acme", True)]


def test_a_failing_service_is_asked_at_the_same_pace(mirrored: Mirror):
    mirrored.service.fault = lambda _: httpx.Response(500)
    try:
        mirrored.sync()
    except mirror.UpstreamError:
        mirrored.clock.pass_time(30)
    assert mirror.due(mirrored.database, [ACME], mirrored.clock.now(), 60, 86_400) == []
    mirrored.clock.pass_time(30)
    assert mirror.due(mirrored.database, [ACME], mirrored.clock.now(), 60, 86_400) == [(ACME, True)]


def test_the_age_of_the_data_is_known(mirrored: Mirror):
    mirrored.service.put(vacancy("v1"))
    assert health.ages(mirrored.database, mirrored.clock.now()) == {}
    assert "never mirrored" in health.problems(mirrored.database, ACME, mirrored.clock.now())[0]
    mirrored.sync()
    mirrored.clock.pass_time(7_200)
    now = mirrored.clock.now()
    assert health.ages(mirrored.database, now) == {"acme": 7_200.0}
    assert "120 minutes old" in health.problems(mirrored.database, ACME, now)[0]
    told = health.all_of(mirrored.database, now)["acme"]
    assert (told.age, told.open_jobs, told.error, told.alarm, told.set_aside, told.clashes) == (
        7_200.0,
        1,
        None,
        None,
        0,
        0,
    )
    mirrored.sync()
    assert health.problems(mirrored.database, ACME, now) == []
