"""A job that the service no longer lists keeps its page for a limited time; then all of it is erased."""

from datetime import timedelta

import sqlalchemy as sa

from portal.jobs.alerts.subscribing import record_new_jobs
from portal.jobs.alerts.tables import alert_openings
from portal.jobs.mirror.state import forget_closed
from portal.jobs.posting import Closed, Posting
from portal.jobs.pushes.changes import forget_gone
from portal.jobs.pushes.tables import pushes
from portal.jobs.tables import vacancies, vacancy_former_ids, vacancy_texts, vacancy_words
from portal.tenants.retention import Cutoffs
from tests.jobs.conftest import Mirror
from tests.jobs.standin import vacancy

DAY = timedelta(days=1)


def old(mirrored: Mirror) -> Cutoffs:
    return Cutoffs(mirrored.clock.now() - 100 * DAY, {})


def pass_days(mirrored: Mirror, days: int) -> None:
    mirrored.clock.pass_time(days * DAY.total_seconds())


def count(mirrored: Mirror, *tables: sa.Table) -> list[int]:
    with mirrored.database.read() as connection:
        return [connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0 for table in tables]


def fill(mirrored: Mirror) -> None:
    for number in range(6):
        mirrored.service.put(vacancy(f"v{number}", f"Nurse {number}"))
    mirrored.sync()
    with mirrored.database.write() as connection:
        record_new_jobs(connection, mirrored.tenant, mirrored.clock.now())


def test_a_deleted_job_is_erased_with_its_texts_words_and_alert_records(mirrored: Mirror):
    fill(mirrored)
    pass_days(mirrored, 300)
    mirrored.service.delete("v5")
    mirrored.sync(full=True)
    pass_days(mirrored, 100)
    assert forget_closed(mirrored.database, old(mirrored)) == 0
    assert isinstance(mirrored.posting("v5"), Closed)
    mirrored.clock.pass_time(1)
    assert forget_closed(mirrored.database, old(mirrored)) == 1
    assert mirrored.posting("v5") is None
    tables = (vacancies, vacancy_texts, vacancy_words, alert_openings, vacancy_former_ids)
    assert count(mirrored, *tables) == [5, 5, 5, 5, 0]
    assert mirrored.find().total == 5


def test_a_job_that_is_listed_again_after_its_erasure_is_new(mirrored: Mirror):
    fill(mirrored)
    mirrored.service.delete("v5")
    mirrored.sync(full=True)
    pass_days(mirrored, 101)
    forget_closed(mirrored.database, old(mirrored))
    mirrored.service.put(vacancy("v5", "Nurse again"))
    mirrored.sync(full=True)
    assert isinstance(mirrored.posting("v5"), Posting)
    with mirrored.database.write() as connection:
        assert record_new_jobs(connection, mirrored.tenant, mirrored.clock.now()) == 2


def test_a_closed_job_is_kept_while_the_service_lists_it(mirrored: Mirror):
    fill(mirrored)
    mirrored.service.put(vacancy("v5", "Nurse 5", stage="Filled"))
    mirrored.sync()
    pass_days(mirrored, 3_000)
    assert forget_closed(mirrored.database, old(mirrored)) == 0
    assert isinstance(mirrored.posting("v5"), Closed)


def test_records_of_search_engine_notifications_are_erased_when_the_job_closes(mirrored: Mirror):
    fill(mirrored)
    at = mirrored.clock.now()
    told = [("v1", True), ("v2", False), ("gone", True), ("gone-too", False)]
    rows = [
        {
            "tenant": "acme",
            "channel": "index_now",
            "posting_id": name,
            "is_open": is_open,
            "changed_at": at,
            "batch": "",
        }
        for name, is_open in told
    ]
    with mirrored.database.write() as connection:
        connection.execute(pushes.insert(), rows)
    pass_days(mirrored, 100)
    forget_gone(mirrored.database, old(mirrored))
    assert count(mirrored, pushes) == [4]
    mirrored.clock.pass_time(1)
    forget_gone(mirrored.database, old(mirrored))
    with mirrored.database.read() as connection:
        assert connection.scalars(sa.select(pushes.c.posting_id)).all() == ["v1"]
