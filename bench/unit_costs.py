"""What one page, one application, one delivery and one round over a tenant cost on PostgreSQL, and what stays of each.

Everything here is CPU time, memory, bytes and counts, none of which depends on what else the machine does.
"""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import sqlalchemy as sa

from bench.envelopes import CLOCK, SEAL, SECRET, application, upload_rows
from bench.whole_site import FLUSHED, Reading, WholeSite, until
from portal.background.sync.run import Report
from portal.background.sync.schedule import SyncedList, due
from portal.background.sync.state import SyncIntervals, SyncState
from portal.background.sync.tables import ListName
from portal.delivery.applications.kind import APPLICATION
from portal.delivery.envelopes.accept import accept
from portal.delivery.uploads.tables import uploads
from portal.jobs.mirror.ingest import rules_hash
from portal.people.signin.tables import sessions
from portal.platform.database.db import Database
from portal.tenants.model import PublishSettings, Tenant, TrackerLink
from tests.builders import portal
from tests.site.apply.conftest import vacancy
from tests.told_clock import ToldClock

PAGES, APPLICATIONS, STORED = 600, 200, 400
"""How many are done of each; the cost of one is the mean."""
REST = 125.0
"""Seconds at rest: two rounds over every tenant, of both lists."""


@dataclass(frozen=True, slots=True)
class UnitCosts:
    """Each for one; rest: of `taken` seconds without visitors."""

    cached: Reading
    job: Reading
    listing: Reading
    form: Reading
    accepted: Reading
    receipt: Reading
    delivered: Reading
    rest: Reading
    tenants: int

    def of_a_round(self) -> tuple[float, float]:
        """Seconds of CPU of worker and PostgreSQL for one tenant's two lists, once a minute."""
        rounds = self.tenants * self.rest.taken / 60
        return self.rest.worker / rounds, self.rest.postgres / rounds


def measured(site: WholeSite) -> UnitCosts:
    """Takes about five minutes."""
    visitor = site.visitor()
    for number in range(30):  # what is made once: templates, connections, statements
        visitor.sees_the_list(number)
        visitor.sees_a_job(number)
    before = site.read()
    time.sleep(REST)
    rest = site.read().since(before)

    def one_of(job: Callable[[int], object], numbers: range) -> Reading:
        began = site.read()
        for number in numbers:
            job(number)
        return site.read().since(began).each(len(numbers), rest=rest)

    cached = one_of(lambda _: visitor.sees_a_job(0), range(PAGES))
    job = one_of(visitor.sees_a_job, range(100, 100 + PAGES))
    listing = one_of(visitor.sees_the_list, range(100, 100 + min(PAGES, site.tenants - 100)))
    forms = range(APPLICATIONS)
    form = one_of(visitor.opens_a_form, forms)
    hidden = {number: visitor.opens_a_form(number) for number in forms}
    receipts: list[str] = []
    suspended = time.monotonic()
    site.worker.suspend()  # so that what PostgreSQL does is for accepting alone
    time.sleep(FLUSHED)
    began = site.read()
    receipts += [visitor.applies(number, hidden[number]) for number in forms]
    time.sleep(FLUSHED)
    accepted = site.read().since(began).each(len(forms))
    receipt = one_of(lambda number: visitor.sees_a_receipt(receipts[number]), forms)
    began = site.read()
    site.worker.resume()
    until(lambda: site.undelivered() == 0, "everything is delivered")
    time.sleep(FLUSHED)
    # The rounds that were not made while it was suspended are made now.
    used = replace(site.read().since(began), taken=time.monotonic() - suspended)
    delivered = used.each(len(forms), rest=rest)
    return UnitCosts(cached, job, listing, form, accepted, receipt, delivered, rest, site.tenants)


def of_a_check(tenants: int = 10_000) -> float:
    """Seconds of CPU for one tenant when a worker checks for due passes, as each does every CHECK_EVERY seconds."""
    now, link = CLOCK.now(), TrackerLink("http://127.0.0.1", "t", "k" * 20)
    every = [Tenant(f"t{number}", "Tenant", link, publish=PublishSettings()) for number in range(tenants)]
    lists = [
        SyncedList(ListName.VACANCIES, rules_hash, lambda *_: Report()),
        SyncedList(ListName.CANDIDATES, lambda _: None, lambda *_: Report()),
    ]
    read = SyncState(checked_at=now, succeeded_at=now, full_at=now, full_due_at=now + timedelta(days=1))
    known = {(ListName.CANDIDATES.value, one.slug): read for one in every}
    known |= {(ListName.VACANCIES.value, one.slug): replace(read, rules=rules_hash(one)) for one in every}
    began = time.process_time()
    for _ in range(5):
        assert due(known, lists, every, now, SyncIntervals(60, 86_400)) == []
    return (time.process_time() - began) / 5 / tenants


@dataclass(frozen=True, slots=True)
class Stored:
    """Bytes in the database: of one application until its purge and after it, of an email's and a session's row."""

    application: float
    purged: float
    email: float
    session: float


def stored(folder: Path, url: str) -> Stored:
    """With the service that comes with the portal, whose new candidates are indexed too."""
    clock = ToldClock()
    made = portal(folder, clock=clock, database_url=url, secret_key=SECRET)
    made.add_tenant("acme", "Acme", '[publish]\nstages = ["Open"]\n')
    made.service.load("acme", [vacancy("job-1", "Welder")])
    made.work.mirror_what_is_due()
    database = made.parts.database
    (tenant,) = made.parts.tenants.all()
    before = _bytes(database)
    with database.write() as connection:
        connection.execute(uploads.insert(), upload_rows(range(STORED)))
    for number in range(STORED):
        accept(database, made.parts.seal, APPLICATION, tenant=tenant, new=application(number), clock=clock)
    while made.work.deliver_what_is_due():
        pass
    clock.pass_time(70)
    made.work.index_what_is_due()
    full, emails = _bytes(database), _bytes(database, "letters")
    clock.pass_time(timedelta(days=100).total_seconds())
    made.work.run_housekeeping()
    with database.read() as connection:
        left = sa.text("SELECT (SELECT count(*) FROM outbox) + (SELECT count(*) FROM deliveries WHERE ended IS NULL)")
        assert connection.execute(left).scalar_one() == 0, "not everything was purged"
    after, closed = _bytes(database), _bytes(database, "sessions")
    with database.write() as connection:
        connection.execute(sessions.insert(), [_session() for _ in range(STORED)])
    opened = _bytes(database, "sessions")
    database.close()
    return Stored(*(value / STORED for value in (full - before, after - before, emails, opened - closed)))


def _session() -> dict[str, object]:
    address = secrets.token_hex(32)
    return {
        "token": secrets.token_hex(32),
        "tenant": "acme",
        "address": address,
        "sealed_address": SEAL.seal(f"{address[:20]}@people.example"),
        "opened_at": CLOCK.now(),
        "used_at": CLOCK.now(),
    }


def _bytes(database: Database, table: str | None = None) -> int:
    """Of all tables or one, with their indexes, without what deleted rows have left."""
    if database.is_sqlite:
        raw = database.engine.raw_connection()
        raw.cursor().execute("VACUUM")
        raw.close()
        query = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
        if table:
            query = (
                "SELECT sum(pgsize) FROM dbstat WHERE name IN (SELECT name FROM sqlite_schema WHERE tbl_name = :table)"
            )
    else:
        with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM FULL")
        query = f"""SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND oid >= 16384
            AND relname {"= :table" if table else "IS NOT NULL"}"""  # noqa: S608  words of our own
    with database.read() as connection:
        return int(connection.execute(sa.text(query), {"table": table} if table else {}).scalar() or 0)
