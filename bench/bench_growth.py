"""After a year of 1,000 applications a day: what accept, claim, receipt and list cost, against an empty database.

What is over is in `deliveries`; of the outbox and the letters only the last week is left, because the rest was purged.
"""

import itertools
import os
import secrets
import tempfile
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import sqlalchemy as sa

import portal.platform.database.migrations
from bench.databases import Kind, databases, settle
from bench.envelopes import ACME, CLOCK, SEAL, application, upload_rows
from bench.figures import Measured
from bench.pairs import compared
from portal.background.mails.tables import letters
from portal.background.outbox import claim
from portal.background.outbox import settle as settling
from portal.background.outbox.retry_policy import Policy, Verdict
from portal.background.outbox.settle import AttemptResult
from portal.background.outbox.states import OutboxState
from portal.background.outbox.tables import outbox
from portal.delivery.applications.kind import APPLICATION
from portal.delivery.envelopes import receipt, submissions
from portal.delivery.envelopes.accept import accept
from portal.delivery.envelopes.tables import deliveries
from portal.delivery.kinds import KINDS
from portal.delivery.uploads.tables import uploads
from portal.platform.database.db import Database

FINISHED = int(os.environ.get("FINISHED", "400000"))
WEEK = 7_000
ROUNDS = 201
_numbers = itertools.count()


def run() -> Iterator[Measured]:
    """Four figures on each database."""
    with tempfile.TemporaryDirectory() as folder, databases(Path(folder), durable=False) as kinds:
        for kind in kinds:
            yield from _figures(kind)


def _figures(kind: Kind) -> Iterator[Measured]:
    grown, empty = (_opened(kind.new(name)) for name in ("grown", "empty"))
    _grow(grown)
    for database in (grown, empty):
        with database.write() as connection:
            connection.execute(uploads.insert(), upload_rows(range(4 * ROUNDS)))
    settle(grown)
    for what, of in (("accept", _accepting), ("claim and settle", _claiming), ("receipt", _receipt)):
        yield _compared(kind, what, of(grown), of(empty))
    yield _compared(kind, "a page of the list of submissions", _list(grown, None), _list(empty, None))
    dead = OutboxState.DEAD
    yield _compared(kind, "a page of those given up", _list(grown, dead), _list(empty, dead))
    grown.close()
    empty.close()


def _compared(kind: Kind, what: str, ours: Callable[[], object], yardstick: Callable[[], object]) -> Measured:
    name, detail = f"{what} after a year / in an empty database, {kind.name}", f", {FINISHED:,} finished"
    return compared(name, ours, yardstick, detail=detail, rounds=ROUNDS)


def _accepting(database: Database) -> Callable[[], object]:
    numbers = itertools.count()

    def one() -> None:
        accept(database, SEAL, APPLICATION, tenant=ACME, new=application(next(numbers)), clock=CLOCK)

    return one


def _claiming(database: Database) -> Callable[[], object]:
    policy = Policy()

    def one() -> None:
        (claimed,) = claim.claim(database, [APPLICATION.name], policy, CLOCK.now())
        verdict = Verdict(OutboxState.DELIVERED, CLOCK.now())
        assert settling.settle(database, [AttemptResult(claimed, verdict)], policy, CLOCK.now()).ours

    return one


def _receipt(database: Database) -> Callable[[], object]:
    with database.read() as connection:
        newest = sa.select(deliveries.c.reference).where(deliveries.c.ended.is_(None)).limit(1)
        reference = connection.execute(newest).scalar_one()
    return lambda: receipt.find(database, tenant="acme", kind=APPLICATION.name, reference=reference)


def _list(database: Database, state: OutboxState | None) -> Callable[[], object]:
    """A page of 100 in the midst of the list."""
    query = sa.select(deliveries.c.reference).order_by(deliveries.c.accepted_at).offset(ROUNDS // 2).limit(1)
    with database.read() as connection:
        middle = connection.execute(query).scalar_one()
    return lambda: list(submissions.overview(database, KINDS, state=state, after=middle, limit=100))


def _opened(url: str) -> Database:
    database = Database(url, migrations=Path(portal.platform.database.migrations.__path__[0]))
    database.upgrade()
    return database


def _grow(database: Database) -> None:
    now = CLOCK.now()
    for start in range(0, FINISHED, 10_000):
        rows = [_envelope(now - timedelta(minutes=1.44 * (FINISHED - n))) for n in range(start, start + 10_000)]
        with database.write() as connection:
            connection.execute(deliveries.insert(), rows)
    with database.write() as connection:
        for kind in (APPLICATION.name, "letter"):
            connection.execute(outbox.insert(), [_row(kind, now) for _ in range(WEEK)])
        connection.execute(letters.insert(), [_letter(now) for _ in range(WEEK)])


def _envelope(at: object) -> dict[str, object]:
    return {
        "reference": secrets.token_hex(10),
        "kind": APPLICATION.name,
        "tenant": "acme",
        "form_id": secrets.token_hex(16),
        "content": secrets.token_hex(32),
        "person": secrets.token_hex(32),
        "about": "job-1",
        "title": "Welder",
        "locale": "en",
        "accepted_at": at,
        "delivered_at": at,
        "erased_at": at,
        "ended": OutboxState.PURGED,
    }


def _row(kind: str, now: object) -> dict[str, object]:
    return {
        "kind": kind,
        "subject": secrets.token_hex(16),
        "tenant": "acme",
        "lane": "service:acme",
        "order_key": secrets.token_hex(32),
        "state": OutboxState.DELIVERED,
        "due_at": now,
        "created_at": now,
        "settled_at": now,
    }


def _letter(now: object) -> dict[str, object]:
    return {
        "id": secrets.token_hex(16),
        "tenant": "acme",
        "template": "receipt",
        "locale": "en",
        "recipient": secrets.token_hex(32),
        "about": secrets.token_hex(10),
        "created_at": now,
        "due_at": now,
        "settled_at": now,
    }
