"""A record's history is kept for 90 days, or for the company's shorter period."""

from datetime import timedelta

import pytest

from portal.people.index import history
from portal.people.index.history import HistoryEventKind
from portal.platform.database.db import Database
from portal.tenants.retention import Retention, RetentionPeriod, cutoffs
from tests.told_clock import NOON

DAY = 86_400


@pytest.mark.parametrize(
    ("said", "otherwise", "days"), [(None, 730, 90), (None, 60, 60), (30, 730, 30), (200, 730, 90), (60, 40, 40)]
)
def test_a_records_history_is_deleted_when_its_retention_ends(
    database: Database, said: int | None, otherwise: int, days: int
):
    with database.write() as connection:
        history.note(connection, tenant="acme", candidate="c", address="a", what=HistoryEventKind.SIGNED_IN, now=NOON)

    def left(after: timedelta) -> int:
        retentions = {"acme": Retention(history=said), "globex": Retention(history=31)}
        old = cutoffs(retentions, RetentionPeriod.HISTORY, otherwise=otherwise * DAY, now=NOON + after)
        history.forget_old(database, old)
        return len(history.lately(database, tenant="acme", keys=["c"]))

    assert left(timedelta(days=days)) == 1
    assert left(timedelta(days=days, microseconds=1)) == 0
