"""The outbox, emails, codes and sessions have the same tables in both databases: the same functions work on them."""

import sqlalchemy as sa

from portal.background.mails.tables import letters, mailbox_events
from portal.background.outbox.tables import lanes, outbox, workers
from portal.people.signin.tables import code_requests, sessions
from tests.tracker.hiring.site import HiringSite

SHARED = [outbox, lanes, workers, letters, mailbox_events, code_requests, sessions]


def test_columns_and_indexes_are_equal(hiring_on_both: HiringSite):
    database = hiring_on_both.office.database
    found = sa.inspect(database.engine)
    for table in SHARED:
        there = {one["name"]: (one["nullable"], str(one["type"])) for one in found.get_columns(table.name)}
        kinds = {one.name: (one.nullable, one.type.compile(database.engine.dialect)) for one in table.columns}
        assert there == kinds, table.name
        indexes = {one["name"]: one["column_names"] for one in found.get_indexes(table.name)}
        assert {name for name in indexes if str(name).startswith("ix_")} == {one.name for one in table.indexes}, (
            table.name
        )
