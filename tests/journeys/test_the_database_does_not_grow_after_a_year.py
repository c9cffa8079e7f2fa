"""After a year of ten applications a minute, scaled down, the database stops growing once the retention has passed.

The product accepts, delivers or rejects applications and sends emails about them; jobs open, close and are deleted;
some candidates request erasure. Only the service is a stand-in."""

import io
import itertools
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa

from portal.delivery.applications.kind import APPLICATION
from portal.delivery.applications.payload import ApplicationPayload
from portal.delivery.envelopes.accept import NewDelivery, accept
from portal.delivery.privacy_requests import requests
from portal.delivery.uploads import storing
from portal.people.signin.sessions import Session
from portal.people.signin.tables import sessions
from portal.platform.crypto.sealing import address_hash
from portal.platform.database.db import metadata
from portal.worker import WorkerThreads
from tests import builders
from tests.builders import Portal
from tests.jobs.pushes.engines import run_search_engines
from tests.jobs.standin import StandIn, json_response, vacancy
from tests.site.apply.applicant import CV
from tests.told_clock import ToldClock

DAY = 86_400
A_DAY = 14_400
"""Applications: ten a minute."""
SCALES = {"sqlite": 1_440, "postgresql": 7_200}
"""How many applications one of these stands for."""
RETENTION = 60
"""Days; the usual 400 would need more than a year to be seen to stop."""
FILE = """
[publish]
stages = ["Open"]
[apply]
phone_region = "DE"
consent = "{consent}"
[mail]
operator = "jobs@acme.example"
[push]
index_now = "a-key-of-index-now"
[retention]
dead_submissions = 30
history = 30
"""
BOUNDED = {"vacancy_vocabulary", "vacancy_totals", "secret_keys"}
"""Tables that grow with words, values and keys, and not with time: here they have a few rows."""


@dataclass
class Year:
    """A simulated year. scale: how many applications one of its applications represents."""

    scale: int
    portal: Portal
    service: StandIn
    clock: ToldClock
    numbers: Iterator[int] = field(default_factory=itertools.count)
    sizes: dict[int, int] = field(default_factory=dict)
    rows: dict[int, Counter[str]] = field(default_factory=dict)

    def answer(self, request: httpx.Request) -> httpx.Response | None:
        """Answer as the service; one application in a hundred is rejected permanently."""
        if request.method == "POST":
            is_bad = "refused" in request.read().decode()
            return httpx.Response(422, json={}) if is_bad else json_response({"received": True})
        if "candidates" in request.url.path or "applications" in request.url.path:
            return json_response({"items": [], "pageInfo": {"nextCursor": None, "hasNextPage": False}})
        return None

    def apply(self, day: int) -> None:
        parts, number = self.portal.parts, next(self.numbers)
        tenant = parts.tenants.require("acme")
        name = "refused" if number % 100 == 0 else "Ada"
        email, form = f"p{number}@people.example", f"{number:032x}"
        file = io.BytesIO(CV[1])
        kept = storing.store_file(
            parts.database, parts.store, parts.seal, tenant="acme", form_id=form, file=file, filename=CV[0],
            max_bytes=10**6, clock=self.clock,
        )  # fmt: skip
        said = ApplicationPayload(
            first_name=name, last_name="Lovelace", email=email, phone_number="+4930123456", city="Berlin", country="DE"
        )
        new = NewDelivery(
            form_id=form, about=f"job-{max(0, day - 1)}", title="Nurse", email=email, locale="en", payload=said,
            upload=kept.handle, consent=tenant.apply.consent, sources={"utm_source": "a fair"},
        )  # fmt: skip
        accept(parts.database, parts.seal, APPLICATION, tenant=tenant, new=new, clock=self.clock)

    def erase(self) -> None:
        """Request an erasure for the last applicant, which the company answers immediately."""
        parts = self.portal.parts
        email = f"p{next(self.numbers) - 1}@people.example"
        address, now = address_hash(parts.seal, "acme", email), self.clock.now()
        session = Session(tenant="acme", email=email, address=address, candidate=None, holder="h" * 64, opened_at=now)
        with parts.database.write() as connection:
            row = {
                "token": session.holder,
                "tenant": "acme",
                "address": address,
                "sealed_address": parts.seal.seal(email),
            }
            connection.execute(sessions.insert().values(row | {"opened_at": now, "used_at": now}))
        tenant = parts.tenants.require("acme")
        asked = requests.erase(
            parts.database, parts.seal, tenant=tenant, session=session, locale="en", clock=self.clock
        )
        assert asked is not None
        assert requests.done(parts.database, parts.seal, asked.reference, self.clock)

    def live(self, day: int) -> None:
        """Simulate a day: jobs change, people apply, and workers do what is due."""
        self.service.put(vacancy(f"job-{day}", f"Nurse {day}"))
        if day >= 20:
            self.service.delete(f"job-{day - 20}")
        if day % 90 == 0:
            self.portal.write_tenant("acme", "Acme", FILE.replace("{consent}", f"I agree to text {day}."))
            self.portal.parts.clock.pass_time(1)
        self.portal.work.mirror_what_is_due()
        self.portal.work.queue_pushes()
        for _ in range(A_DAY // self.scale):
            self.clock.pass_time(DAY * self.scale / A_DAY)
            self.apply(day)
        if day % 10 == 0:
            self.erase()
        self.portal.work.deliver_what_is_due()
        self.portal.work.run_housekeeping()
        self.service.requests.clear()
        for folder in ("mail", "attachments/acme"):  # the emails' recipients, and the service's addresses
            shutil.rmtree(self.portal.folder / folder, ignore_errors=True)

    def measure(self, day: int) -> None:
        database = self.portal.parts.database
        with database.read() as connection:
            self.rows[day] = Counter(
                {
                    name: connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0
                    for name, table in metadata.tables.items()
                }
            )
        if database.file:
            self.sizes[day] = database.file.stat().st_size


@pytest.mark.verify
def test_nothing_grows_after_the_retention(
    portal_url: str, database_kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    clock, scale = ToldClock(), SCALES[database_kind]
    service = StandIn(clock)
    made = builders.portal(
        tmp_path / "site", clock=clock, transport=service, database_url=portal_url, forget_after=RETENTION * DAY
    )
    made.keys["acme"] = "k" * 20
    made.write_tenant("acme", "Acme", FILE.replace("{consent}", "I agree."))
    year = Year(scale, made, service, clock)
    service.fault = year.answer
    with run_search_engines() as engines:
        made.work = WorkerThreads(made.parts, engines.engines)
        for day in range(365):
            year.live(day)
            if day % 5 == 4:
                year.measure(day + 1)
    assert engines.came
    made.parts.close()
    _print(year, capsys)
    settled = [day for day in year.rows if day > 2 * RETENTION]
    half = settled[: len(settled) // 2], settled[len(settled) // 2 :]
    for name in metadata.tables:
        if name not in BOUNDED:
            early, late = (max(year.rows[day][name] for day in days) for days in half)
            assert late <= early * 1.1 + 2, f"{name} had {early} rows at most, and {late} later"
    if year.sizes:
        early, late = (max(year.sizes[day] for day in days) for days in half)
        assert late <= early * 1.02
    assert year.rows[365]["deliveries"] > A_DAY / scale * RETENTION * 0.9


def _print(year: Year, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(f"\n1 application stands for {year.scale}; retention {RETENTION} days")  # noqa: T201  figures for readers
        for day in (30, 60, 90, 120, 180, 240, 300, 365):
            most = ", ".join(f"{name} {n}" for name, n in year.rows[day].most_common(6))
            size = f"{year.sizes[day] / 1e6:.1f} MB, " if year.sizes else ""
            print(f"day {day}: {size}{sum(year.rows[day].values())} rows: {most}")  # noqa: T201  figures for readers
