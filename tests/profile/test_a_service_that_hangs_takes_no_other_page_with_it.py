"""Pages of self-service wait for a company's service for seconds, few at a time, and never for another company's."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from portal.candidates.index import Indexed
from portal.clock import SystemClock
from portal.errors import NotNow, UpstreamError
from portal.profile.patience import Patience
from portal.records.current import fetch
from portal.tenants.model import Tenant
from portal.upstream.client import Upstream
from tests.builders import Portal
from tests.parts.misbehaving import Misbehaving, answer, drip, misbehaving, silence

WHO = Indexed("key", "candidate", datetime(2026, 1, 1, tzinfo=UTC))
NOBODY = answer({"items": [], "pageInfo": {"nextCursor": "", "hasNextPage": False}})


@contextmanager
def patience(**servers: Misbehaving) -> Iterator[Patience]:
    clients = {
        slug: Upstream(base_url=one.url, slug=slug, api_key="key", clock=SystemClock()) for slug, one in servers.items()
    }
    yield Patience(lambda tenant: clients[tenant.slug], SystemClock())
    for one in clients.values():
        one.close()


@pytest.fixture
def tenants(acme: Portal) -> dict[str, Tenant]:
    acme.add_tenant("globex", "Globex")
    acme.parts.clock.pass_time(1)
    return {tenant.slug: tenant for tenant in acme.parts.tenants.all()}


def ask(waiting: Patience, tenant: Tenant) -> UpstreamError | None:
    try:
        with waiting.asking(tenant) as service:
            fetch(service, WHO)
    except UpstreamError as error:
        return error
    return None


def test_eight_pages_of_a_company_whose_service_hangs(tenants: dict[str, Tenant]):
    with (
        misbehaving(silence(60)) as hanging,
        misbehaving(NOBODY) as well,
        patience(acme=hanging, globex=well) as waiting,
    ):
        took: list[tuple[float, UpstreamError | None]] = []

        def page() -> None:
            begun = time.monotonic()
            found = ask(waiting, tenants["acme"])
            took.append((time.monotonic() - begun, found))

        pages = [threading.Thread(target=page) for _ in range(8)]
        for one in pages:
            one.start()
        while sum(isinstance(error, NotNow) for _, error in took) < 6:  # two wait, the others are told at once
            time.sleep(0.01)
        begun = time.monotonic()
        assert ask(waiting, tenants["globex"]) is None
        assert time.monotonic() - begun < 2
        for one in pages:
            one.join()
    assert all(isinstance(error, UpstreamError) for _, error in took)
    assert sum(isinstance(error, NotNow) for _, error in took) == 6
    assert max(seconds for seconds, _ in took) < 40


def test_many_slow_answers_share_the_time_of_one_page(tenants: dict[str, Tenant]):
    def read_everything(waiting: Patience) -> None:
        with waiting.asking(tenants["acme"]) as service:
            for _ in range(20):
                service.stages()

    with misbehaving(drip("body", every=0.002)) as slow, patience(acme=slow) as waiting:
        begun = time.monotonic()
        with pytest.raises(UpstreamError):
            read_everything(waiting)
        assert time.monotonic() - begun < 25  # twenty whole answers take more than 40
        assert 1 <= len(slow.seen) < 20


def test_after_a_page_its_place_is_free_again(tenants: dict[str, Tenant]):
    with misbehaving(NOBODY) as well, patience(acme=well) as waiting:
        for _ in range(9):
            assert ask(waiting, tenants["acme"]) is None
