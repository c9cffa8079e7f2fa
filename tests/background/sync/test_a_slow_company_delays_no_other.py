"""Each company's jobs are synced when due, however slowly another company's service responds."""

from pathlib import Path

from portal.platform.clock import SystemClock
from tests.background.sync.companies import portal, working


def test_a_service_that_does_not_respond_occupies_only_its_own_slots(tmp_path: Path, portal_url: str):
    companies = portal(tmp_path, portal_url, "acme", "globex", clock=SystemClock(), sync_interval=1)
    with companies as (made, services), working(made, services, held={"acme"}):
        services.until_asked("acme", 1)
        services.until_asked("globex", 6)
        assert services.requests("acme") <= 2  # one for each list
