"""Which tests `make test` runs on both databases: those of SQL, locks and transactions that differ between them.

Everywhere else a test that can use either database runs on SQLite in `make test`, and on PostgreSQL in `make verify`.
"""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SQL_DIFFERS = tuple(
    ROOT / path
    for path in (
        "background/outbox",
        "background/mails/test_workers_with_the_same_recipients_do_not_deadlock.py",
        "background/sync/test_a_pass_that_lost_its_lock_writes_nothing.py",
        "background/sync/test_passes_without_changes_make_few_queries.py",
        "background/sync/test_passes_without_changes_are_recorded_together.py",
        "background/sync/test_two_workers_make_one_pass.py",
        "delivery/envelopes",
        "delivery/test_a_receipt_means_that_it_is_on_disk.py",
        "jobs/alerts/test_two_workers_send_each_alert_once.py",
        "jobs/mirror/test_job_index_and_service_are_equal_after_many_changes.py",
        "jobs/mirror/test_a_suspicious_number_of_deletions_needs_confirmation.py",
        "jobs/places/test_a_search_finds_jobs_near_a_location.py",
        "jobs/search",
        "journeys",
        "parts",
        "people/signin/test_a_code_opens_one_session.py",
        "platform/database",
        "site/account/test_self_service_works_on_each_database.py",
        "tracker/test_pagination_is_complete_during_changes.py",
        "tracker/test_counts_are_correct.py",
        "tracker/test_concurrent_requests_do_not_race.py",
        "tracker/test_stored_responses_are_up_to_date.py",
    )
)


def is_on_postgresql(item: pytest.Item) -> bool:
    """Return whether this is the PostgreSQL variant of a test that can run on either database."""
    call = getattr(item, "callspec", None)
    return call is not None and "postgresql" in call.params.values()


def sql_differs(file: Path) -> bool:
    """Return whether a test file, or its folder, is listed."""
    return any(file.is_relative_to(place) for place in SQL_DIFFERS)
