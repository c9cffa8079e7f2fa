"""The machine is lost while ten people a second apply, and its backup is restored to another one, repeatedly.

DRILL_SECONDS for each database. What was accepted before the backup is delivered once; people who applied later are
asked to apply again. Run with `-s`, it prints what each round lost.
"""

import itertools
import os
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Self

import boto3
import httpx
import pytest
from botocore.config import Config

from tests.delivery.running_portal import RunningPortal
from tests.operations.backup.machine import Backups
from tests.parts.radosgw import RunningRadosgw

SECONDS = float(os.environ.get("DRILL_SECONDS", "150"))
A_SECOND = 10
DATABASES = [pytest.param(kind, marks=pytest.mark.xdist_group(f"drill-{kind}")) for kind in ("sqlite", "postgresql")]
pytestmark = [pytest.mark.verify, pytest.mark.soak, pytest.mark.parametrize("backups", DATABASES, indirect=True)]


@dataclass
class Crowd:
    """People who apply, ten a second. accepted: reference → time of its receipt."""

    site: RunningPortal
    accepted: dict[str, float] = field(default_factory=dict)
    refused: int = 0
    _over: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._come)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _come(self) -> None:
        begun, number = time.monotonic(), 0
        with ThreadPoolExecutor(max_workers=24) as pool:
            while not self._over.wait(max(0.0, begun + number / A_SECOND - time.monotonic())):
                number += 1
                pool.submit(self._apply, "acme" if number % 2 else "globex")

    def _apply(self, tenant: str) -> None:
        try:
            reference = self.site.acknowledge(self.site.open_form(tenant))
        except httpx.HTTPError:  # the machine is lost
            self.refused += 1
        else:
            self.accepted[reference] = time.time()


@pytest.fixture
def storages(backups: Backups, request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """Settings of each machine's storage: a folder beside SQLite, a new bucket beside PostgreSQL."""
    if backups.site.environment["PORTAL_DATABASE_URL"].startswith("sqlite"):
        return itertools.repeat({})
    s3: RunningRadosgw = request.getfixturevalue("s3")
    client = boto3.client("s3", endpoint_url=s3.endpoint, config=Config(s3={"addressing_style": "path"}))

    def buckets() -> Iterator[dict[str, str]]:
        for number in range(1_000):
            client.create_bucket(Bucket=f"drill-{number}")
            yield {**s3.environment, "PORTAL_S3_ENDPOINT": s3.endpoint, "PORTAL_ATTACHMENTS": f"s3://drill-{number}"}

    return buckets()


def test_restores_during_applications_lose_only_later_ones(backups: Backups, storages: Iterator[dict[str, str]]):
    site, until, rounds, kept = backups.site, time.monotonic() + SECONDS, 0, set[str]()
    site.environment |= next(storages)
    _start(site)
    while rounds < 2 or time.monotonic() < until:
        rounds += 1
        with Crowd(site) as crowd:
            site.until(lambda crowd=crowd: len(crowd.accepted) >= 30, "thirty have applied")
            began = time.time()
            backups.take("--keep", "2")
            taken = len(crowd.accepted)
            site.until(lambda crowd=crowd, n=taken + 20: len(crowd.accepted) >= n, "twenty have applied since")
            backups.lose_the_machine()
            age = time.time() - began
        site.environment |= next(storages)
        backups.restore()
        # A form that is not submitted yet may lack its file, which fails the check; its person has to choose it again.
        assert "deliveries without a file   0" in backups.run("storage", "check").stdout
        _start(site)
        lost = _lost(site, crowd)
        assert min(crowd.accepted[one] for one in lost) >= began, "accepted before the backup, and lost"
        for one in lost:
            del site.acknowledged[one]
        kept |= crowd.accepted.keys() - lost
        _all_arrived_once(site, kept)
        print(  # noqa: T201  results for people
            f"round {rounds}: {len(crowd.accepted)} accepted and {crowd.refused} cut off; the backup was {age:.1f} s "
            f"old; {len(lost)} lost, each accepted after it began; {len(kept)} so far are at the service once"
        )


def _start(site: RunningPortal) -> None:
    site.start("serve", "worker")
    site.serving()
    for slug in site.services:
        site.until(lambda slug=slug: _status(site, f"{slug}/jobs/job-1/apply") == 200, f"the jobs of {slug} are there")


def _lost(site: RunningPortal, crowd: Crowd) -> set[str]:
    """Return those whom the restored machine asks to apply again; for others it has the receipt."""
    found = {one: _status(site, f"{site.acknowledged[one]}/applications/{one}") for one in crowd.accepted}
    assert set(found.values()) == {200, 410}, "a receipt leads nowhere, or nothing was lost, so the test proves nothing"
    return {one for one, status in found.items() if status == 410}


def _all_arrived_once(site: RunningPortal, kept: set[str]) -> None:
    site.settled()
    counts = sum((service.counts() for service in site.services.values()), start=Counter[str | None]())
    assert {one: counts[one] for one in kept if counts[one] != 1} == {}
    assert {one: many for one, many in counts.items() if many > 1} == {}


def _status(site: RunningPortal, path: str) -> int:
    return httpx.get(f"{site.url}/{path}", trust_env=False, timeout=30).status_code
