"""Applications to a closed job are erased after a time, a week after its owners were notified."""

import sqlalchemy as sa

from portal.tracker import revisions
from portal.tracker.hiring import company_settings
from portal.tracker.hiring.colleagues import Role
from portal.tracker.hiring.company_settings import CompanySettings
from portal.tracker.hiring.tables import applications_seen, hiring_log, retention_notices
from portal.tracker.tables import vacancies
from tests.tracker.hiring.job_writing import hidden
from tests.tracker.hiring.site import OWNER, RECRUITER, HiringSite

DAY = 86_400


def close(hiring: HiringSite, vacancy: str, status: str = "closed") -> None:
    """Change its status as the jobs' pages do."""
    company = hiring.office
    with company.database.write() as connection:
        turn = revisions.take(connection, company.clock, slug="acme")
        assert turn
        here = (vacancies.c.tenant_id == turn.tenant_id, vacancies.c.id == vacancy)
        connection.execute(vacancies.update().where(*here).values(status=status, modified=turn.at))


def left(hiring: HiringSite, vacancy: str) -> int:
    hiring.mails.run_housekeeping()
    hiring.mails.send_what_is_due()
    return len(hiring.office.applications(vacancy))


def pass_days(hiring: HiringSite, days: float) -> None:
    hiring.office.clock.pass_time(days * DAY)  # type: ignore[attr-defined]  the clock of tests


def test_applications_are_erased_half_a_year_later_after_a_notice(hiring_on_both: HiringSite):
    hiring = hiring_on_both
    closed = hiring.office.add_vacancy(name="Welder")
    still_open = hiring.office.add_vacancy(name="Driver")
    for vacancy in (closed, still_open):
        hiring.office.apply(vacancy)
    close(hiring, closed)
    pass_days(hiring, 175)
    assert left(hiring, closed) == 1
    assert hiring.outbox.to(OWNER) == []
    pass_days(hiring, 2)
    assert left(hiring, closed) == 1
    (notice,) = hiring.outbox.to(OWNER)
    assert "Welder" in notice.text
    assert "Driver" not in notice.text
    assert hiring.outbox.to(RECRUITER) == []
    pass_days(hiring, 7)
    assert left(hiring, closed) == 0
    assert len(hiring.office.applications(still_open)) == 1
    assert len(hiring.outbox.to(OWNER)) == 1


def test_a_person_is_erased_with_their_last_application(hiring: HiringSite):
    closed, still_open = (hiring.office.add_vacancy(name=name) for name in ("Welder", "Driver"))
    hiring.office.apply(closed, email="ada@people.example")
    for vacancy in (closed, still_open):
        hiring.office.apply(vacancy, email="bob@people.example")
    close(hiring, closed)
    for days in (180, 8):
        pass_days(hiring, days)
        left(hiring, closed)
    assert [one["emails"]["emails"][0]["email"] for one in hiring.office.candidates()] == ["bob@people.example"]


def test_after_a_long_outage_owners_still_have_their_week(hiring: HiringSite):
    vacancy = hiring.office.add_vacancy()
    hiring.office.apply(vacancy)
    close(hiring, vacancy)
    pass_days(hiring, 400)
    assert left(hiring, vacancy) == 1
    pass_days(hiring, 6)
    assert left(hiring, vacancy) == 1
    pass_days(hiring, 1)
    assert left(hiring, vacancy) == 0


def test_owners_can_keep_them_longer_after_the_notice(hiring: HiringSite):
    vacancy = hiring.office.add_vacancy()
    hiring.office.apply(vacancy)
    close(hiring, vacancy)
    pass_days(hiring, 178)
    left(hiring, vacancy)
    company, now = hiring.company, hiring.office.clock.now()
    seen = company_settings.of(hiring.office.database, company.id)
    longer = CompanySettings(retention_days=365)
    company_settings.save(hiring.office.database, company, longer, seen.version, by=OWNER, now=now)
    pass_days(hiring, 30)
    assert left(hiring, vacancy) == 1


def test_a_longer_retention_of_one_company_delays_no_other(hiring_on_both: HiringSite):
    hiring = hiring_on_both
    kept = [f"-{number:03}" for number in range(101)]
    hiring.office.load(*(("vacancy", {"id": one}) for one in kept))
    neighbour = hiring.office.neighbour()
    hiring.add("owner@globex.example", Role.OWNER, "globex")
    theirs = neighbour.add_vacancy()
    neighbour.apply(theirs)
    with hiring.office.database.write() as connection:
        connection.execute(vacancies.update().values(status="closed"))
    pass_days(hiring, 178)
    now, company = hiring.office.clock.now(), hiring.company
    notices = [{"tenant_id": company.id, "vacancy_id": one, "told_at": now} for one in kept]
    with hiring.office.database.write() as connection:
        connection.execute(retention_notices.insert(), notices)
    hiring.mails.run_housekeeping()
    seen = company_settings.of(hiring.office.database, company.id)
    longer = CompanySettings(retention_days=3_650)
    company_settings.save(hiring.office.database, company, longer, seen.version, by=OWNER, now=now)
    pass_days(hiring, 8)
    hiring.mails.run_housekeeping()
    assert neighbour.applications(theirs) == []


def test_a_reopened_job_keeps_its_applications(hiring: HiringSite):
    vacancy = hiring.office.add_vacancy()
    hiring.office.apply(vacancy)
    close(hiring, vacancy)
    pass_days(hiring, 180)
    left(hiring, vacancy)
    close(hiring, vacancy, "open")
    pass_days(hiring, 30)
    assert left(hiring, vacancy) == 1


def test_an_owner_sets_the_retention_within_limits(hiring: HiringSite):
    owner = hiring.signed_in()
    for days, status in (("29", 422), ("30", 200), ("3650", 200), ("3651", 422), ("x", 422)):
        owner.get("/settings")
        version = hidden(owner.page, "version")
        assert owner.post("/settings", sender="", retention_days=days, version=version).status_code == status, days
    owner.get("/settings")
    owner.post(
        "/settings",
        sender="Acme careers <careers@acme.example>",
        retention_days="40",
        version=hidden(owner.page, "version"),
    )
    owner.get("/settings")
    assert owner.post("/settings", sender="nobody", retention_days="40", version="").status_code == 422
    vacancy = hiring.office.add_vacancy()
    hiring.office.apply(vacancy)
    close(hiring, vacancy)
    pass_days(hiring, 34)
    left(hiring, vacancy)
    assert hiring.outbox.to(OWNER)[-1].sender == "Acme careers <careers@acme.example>"
    pass_days(hiring, 7)
    assert left(hiring, vacancy) == 0


def rows(hiring: HiringSite, table: sa.Table) -> int:
    with hiring.office.database.read() as connection:
        return connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0


def test_viewed_marks_are_erased_with_applications(hiring: HiringSite):
    vacancy = hiring.office.add_vacancy()
    hiring.office.apply(vacancy)
    recruiter = hiring.signed_in(RECRUITER)
    recruiter.get(f"/jobs/{vacancy}/applications")
    recruiter.post(f"/jobs/{vacancy}/applications/seen", until="1900000000000000")
    close(hiring, vacancy)
    pass_days(hiring, 180)
    left(hiring, vacancy)
    assert rows(hiring, applications_seen) == 1
    pass_days(hiring, 7)
    left(hiring, vacancy)
    assert rows(hiring, applications_seen) == 0


def test_the_activity_log_is_erased_after_400_days(hiring: HiringSite):
    hiring.signed_in(RECRUITER)
    before = rows(hiring, hiring_log)
    pass_days(hiring, 399)
    hiring.mails.run_housekeeping()
    assert rows(hiring, hiring_log) == before > 0
    pass_days(hiring, 2)
    hiring.mails.run_housekeeping()
    assert rows(hiring, hiring_log) == 0
