"""Only the first request waits for a hanging bucket; later ones fail immediately, and all entries are preserved."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from portal.adapters.storage.s3 import S3Store
from portal.platform.errors import StoreUnavailable
from tests.builders import Portal
from tests.parts.process import pause, resume
from tests.parts.radosgw import RunningRadosgw
from tests.site.apply.applicant import ADA, Applicant
from tests.site.apply.conftest import portal_with
from tests.site.apply.direct import Sender

pytestmark = pytest.mark.xdist_group("radosgw")

IN_VAIN = 2.0
"""Seconds without a byte after which the store of these tests gives up, twice in a row."""


@pytest.fixture
def acme(tmp_path: Path, s3: RunningRadosgw) -> Iterator[Portal]:
    made = portal_with(tmp_path / "portal", attachments=f"s3://{s3.bucket}", s3_endpoint=s3.endpoint)
    made.parts.store._store = S3Store(s3.bucket, endpoint=s3.endpoint, read_timeout=IN_VAIN)
    yield made
    resume(s3.pid)
    made.parts.close()


@pytest.fixture
def ada(acme: Portal) -> Iterator[Applicant]:
    with acme.browser() as client:
        yield Applicant(client)


def seconds_of(act: Callable[[], None]) -> float:
    began = time.monotonic()
    act()
    return time.monotonic() - began


def refused(ada: Applicant) -> None:
    page = ada.send()
    assert page.status == 503
    assert page.typed["lastName"] == ADA["lastName"]
    assert page.typed["postalCode"] == ADA["postalCode"]


def test_after_one_timeout_the_next_forms_fail_immediately(acme: Portal, ada: Applicant, s3: RunningRadosgw):
    pause(s3.pid)
    in_vain = seconds_of(lambda: refused(ada))
    assert in_vain >= 2 * IN_VAIN
    refused(ada)  # which makes one request try, and waits for a moment
    at_once = [seconds_of(lambda: refused(ada)) for _ in range(3)]
    assert sorted(at_once)[1] < in_vain / 2  # the median: other work may delay any of them
    resume(s3.pid)
    ends = time.monotonic() + 60
    while (answer := ada.post()).status_code == 503:
        assert time.monotonic() < ends
    assert answer.status_code == 303


def test_a_timeout_of_the_health_check_counts_for_all(acme: Portal, ada: Applicant, s3: RunningRadosgw):
    """With the default timeout of half a minute."""
    acme.parts.store._store = S3Store(s3.bucket, endpoint=s3.endpoint)
    pause(s3.pid)
    asking = threading.Thread(target=lambda: _reach(acme), daemon=True)
    asking.start()
    asking.join(3.5)
    assert seconds_of(lambda: refused(ada)) < 10
    assert asking.is_alive()
    resume(s3.pid)
    asking.join(60)
    ada.receipt()


def test_uploads_ahead_are_not_announced_to_a_hanging_storage(acme: Portal, ada: Applicant, s3: RunningRadosgw):
    pause(s3.pid)
    refused(ada)
    sender = Sender(ada)
    assert sender.ask().status_code == 503
    resume(s3.pid)
    _reach(acme)
    assert sender.ask().status_code == 201


def test_forms_are_accepted_as_soon_as_the_storage_responds(acme: Portal, ada: Applicant, s3: RunningRadosgw):
    pause(s3.pid)
    refused(ada)
    resume(s3.pid)
    ada.receipt()


def _reach(acme: Portal) -> None:
    with suppress(StoreUnavailable):
        acme.parts.store.reach()
