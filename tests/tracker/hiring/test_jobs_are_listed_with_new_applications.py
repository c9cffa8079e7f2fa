"""The list of jobs shows open ones first, with their applications and how many are new."""

import re
from datetime import timedelta

import sqlalchemy as sa

from portal.tracker.hiring.jobs import PAGE
from portal.tracker.hiring.tables import applications_seen
from portal.tracker.tables import applications
from tests.tracker.hiring.job_writing import draft, pressed, published, recruiter
from tests.tracker.hiring.site import READER, HiringSite


def test_open_jobs_come_first_then_drafts_paused_and_closed(hiring_on_both: HiringSite):
    browser = recruiter(hiring_on_both)
    for title, button in (("Closed one", "close"), ("Paused one", "pause"), ("Open one", "")):
        published(browser, title=title)
        if button:
            pressed(browser, button)
    draft(browser, title="Drafted one")
    browser.get("/jobs")
    titles = re.findall(r"<bdi>(\w+ one)</bdi>", browser.page)
    assert titles == ["Open one", "Drafted one", "Paused one", "Closed one"]


def test_applications_are_new_until_somebody_views_them(hiring_on_both: HiringSite):
    hiring = hiring_on_both
    browser = recruiter(hiring)
    job_id = published(browser)
    for number in range(3):
        hiring.office.apply(job_id, email=f"ada{number}@people.example")
    browser.get("/jobs")
    assert "3 new 3 applications : Welder" in browser.words
    with hiring.office.database.write() as connection:
        second = connection.scalars(sa.select(applications.c.turn).order_by(applications.c.turn)).all()[1]
        tenant_id = connection.scalar(sa.select(applications.c.tenant_id).limit(1))
        row = {"tenant_id": tenant_id, "vacancy_id": job_id, "at": second}
        connection.execute(applications_seen.insert().values(row))
    browser.get("/jobs")
    assert "1 new 3 applications : Welder" in browser.words


def test_a_thousand_applications_are_counted_quickly(hiring: HiringSite):
    browser = recruiter(hiring)
    job_id = published(browser)
    hiring.office.apply(job_id)
    with hiring.office.database.write() as connection:
        one = connection.execute(sa.select(applications)).one()._asdict()
        rows = [one | {"id": f"a{n}", "turn": one["turn"] + timedelta(seconds=n)} for n in range(1, 1_000)]
        connection.execute(applications.insert(), rows)
    statements: list[str] = []
    engine = hiring.office.database.engine
    sa.event.listen(engine, "before_cursor_execute", lambda *args: statements.append(args[2]))
    browser.get("/jobs")
    assert "1000 applications" in browser.words.replace(",", "")
    assert sum("applications_seen" in each for each in statements) == 1


def test_a_page_lists_fifty_jobs(hiring: HiringSite):
    browser = recruiter(hiring)
    for number in range(PAGE + 1):
        hiring.office.add_vacancy(name=f"Job {number}")
    assert browser.get("/jobs").text.count('class="card-title"') == PAGE
    assert "Next page" in browser.words
    assert browser.get("/jobs?page=2").text.count('class="card-title"') == 1
    assert "Next page" not in browser.words
    for odd in ("0", "-1", "x", "99999", "9999"):
        assert browser.get(f"/jobs?page={odd}").status_code == 200


def test_locations_are_suggested(hiring: HiringSite):
    browser = recruiter(hiring)
    assert "Leipzig, Saxony, Germany" in browser.get("/places?q=leipz").json()
    assert browser.get("/places?q=l").json() == []
    assert hiring.signed_in(READER).get("/places?q=leipz").status_code == 403


def test_missing_details_for_search_engines_are_reported_before_publishing(hiring: HiringSite):
    browser = recruiter(hiring)
    address = draft(browser, description="Short", place="Leipzig", employment="", ends="", salary_min="", salary_max="")
    browser.get(f"{address}/preview")
    words = browser.words.partition("Missing for search engines")[2].partition("Publish")[0]
    for missing in ("description", "town and country (not listed", "employment type", "last day", "salary"):
        assert missing in words
    whole = draft(browser, description="You weld ships. " * 30)
    browser.get(f"{whole}/preview")
    assert "Missing for search engines" not in browser.words
    remote = draft(browser, description="You weld ships. " * 30, workplace="remote", place="Germany")
    browser.get(f"{remote}/preview")
    assert "Missing for search engines" not in browser.words
