"""Pages of self-service wait for a company's service for seconds, few at a time, and never for another company's."""

import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from portal.adapters.tracker_client.errors import TemporarilyUnavailable, TrackerError
from portal.delivery.record_changes.model import fetch
from portal.people.index.index import IndexedCandidate
from portal.platform.clock import SystemClock
from portal.platform.config.settings import Settings
from portal.services import Services
from portal.tenants.model import Tenant, TrackerLink
from tests.builders import SECRET
from tests.parts.misbehaving import Misbehaving, answer, drip, misbehaving, silence

WHO = IndexedCandidate("key", "candidate", datetime(2026, 1, 1, tzinfo=UTC))
NOBODY = answer({"items": [], "pageInfo": {"nextCursor": "", "hasNextPage": False}})


@pytest.fixture
def parts(tmp_path: Path) -> Iterator[Services]:
    settings = Settings(
        secret_key=SECRET,
        database_url=f"sqlite:///{tmp_path / 'portal.db'}",
        tenants=tmp_path,
        attachments=f"file:{tmp_path / 'attachments'}",
    )
    opened = Services.open(settings, clock=SystemClock())
    yield opened
    opened.close()


def tenant(slug: str, service: Misbehaving) -> Tenant:
    return Tenant(slug=slug, name=slug.title(), tracker=TrackerLink(service.url, slug, "key"))


def ask(parts: Services, who: Tenant) -> TrackerError | None:
    try:
        with parts.client_for_page(who) as service:
            fetch(service, WHO)
    except TrackerError as error:
        return error
    return None


def test_eight_pages_of_a_company_with_a_hanging_service_fail_in_seconds(parts: Services):
    with misbehaving(silence(60)) as hanging, misbehaving(NOBODY) as well:
        took: list[tuple[float, TrackerError | None]] = []

        def page() -> None:
            begun = time.monotonic()
            found = ask(parts, tenant("acme", hanging))
            took.append((time.monotonic() - begun, found))

        pages = [threading.Thread(target=page) for _ in range(8)]
        for one in pages:
            one.start()
        # two wait, the others fail immediately
        while sum(isinstance(error, TemporarilyUnavailable) for _, error in took) < 6:
            time.sleep(0.01)
        begun = time.monotonic()
        assert ask(parts, tenant("globex", well)) is None
        assert time.monotonic() - begun < 2
        for one in pages:
            one.join()
    assert all(isinstance(error, TrackerError) for _, error in took)
    assert sum(isinstance(error, TemporarilyUnavailable) for _, error in took) == 6
    assert max(seconds for seconds, _ in took) < 40


def test_many_slow_responses_share_the_time_limit_of_one_page(parts: Services):
    def read_everything(who: Tenant) -> None:
        with parts.client_for_page(who) as service:
            for _ in range(20):
                service.stages()

    with misbehaving(drip("body", every=0.002)) as slow:
        begun = time.monotonic()
        with pytest.raises(TrackerError):
            read_everything(tenant("acme", slow))
        assert time.monotonic() - begun < 25  # twenty complete responses take more than 40 s
        assert 1 <= len(slow.seen) < 20


def test_a_finished_page_releases_its_place(parts: Services):
    with misbehaving(NOBODY) as well:
        for _ in range(9):
            assert ask(parts, tenant("acme", well)) is None
