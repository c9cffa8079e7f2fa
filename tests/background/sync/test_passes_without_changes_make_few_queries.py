"""A round of passes without changes makes only the queries of each pass."""

from pathlib import Path

import sqlalchemy as sa

from tests.background.sync.companies import portal

COMPANIES = [f"company{number}" for number in range(12)]
OF_A_PASS = {"sqlite": 2, "postgresql": 4}
"""The state of the list and the state of the synced data; on PostgreSQL also the lock and its release."""
OF_A_ROUND = 3


def test_a_round_without_changes_makes_only_the_queries_of_each_pass(
    tmp_path: Path, portal_url: str, database_kind: str
):
    with portal(tmp_path, portal_url, *COMPANIES, sync_interval=10) as (made, _):
        for _ in range(2):
            made.work.mirror_what_is_due()
            made.parts.clock.pass_time(10)
        statements: list[str] = []
        sa.event.listen(
            made.parts.database.engine, "before_cursor_execute", lambda _c, _k, text, *_: statements.append(text)
        )
        made.work.mirror_what_is_due()
        assert len(statements) <= OF_A_PASS[database_kind] * len(COMPANIES) + OF_A_ROUND, statements
