"""Feeds and site always show the same jobs."""

from tests.site.feeds.company import BOARDS, FEEDS, LONG, Company, vacancy


def everywhere(acme: Company, *titles: str) -> None:
    found = acme.titles()
    assert found == {name: set(titles) for name in found}


def test_an_open_job_is_in_every_feed_and_a_closed_one_in_none(acme: Company):
    acme.publish(vacancy("one", "One", LONG), vacancy("two", "Two", LONG))
    everywhere(acme, "One", "Two")
    acme.publish(vacancy("two", "Two", LONG, stage="Filled"))
    everywhere(acme, "One")
    assert acme.get("/v1/boards/acme/jobs/two").status_code == 410
    assert acme.get("/v0/postings/acme/two").status_code == 410


def test_jobs_open_and_close_by_their_dates(acme: Company):
    ends = acme.clock.now().timestamp() + 86_401 + 100
    at = type(acme.clock.now()).fromtimestamp(ends, acme.clock.now().tzinfo).isoformat()
    acme.publish(vacancy("one", "One", LONG, end=at), vacancy("two", "Two", LONG, start=at))
    everywhere(acme, "One")
    acme.clock.pass_time(200)
    everywhere(acme, "Two")


def test_a_salary_is_in_no_feed_unless_the_company_shows_it(sqlite_acme: Company):
    pay = {"currency": "EUR", "min": 51_234, "max": 61_234}
    sqlite_acme.publish(vacancy("one", "One", LONG, salary=pay, client="Secret Client"))
    paths = [*(f"/acme/{name}" for name in FEEDS), *BOARDS, "/v1/boards/acme/jobs/one?pay_transparency=true"]
    shown = [path for path in paths if "51234" in sqlite_acme.get(path).text]
    assert shown == [
        "/acme/indeed.xml",
        "/v1/boards/acme/jobs?content=true",
        "/v0/postings/acme?mode=json",
        "/v1/boards/acme/jobs/one?pay_transparency=true",
    ]
    sqlite_acme.file(salary=False)
    sqlite_acme.mirror()
    assert not [
        path for path in paths if "51234" in sqlite_acme.get(path).text or "Secret" in sqlite_acme.get(path).text
    ]


def test_an_amount_without_a_period_is_listed_only_where_none_is_required(sqlite_acme: Company):
    sqlite_acme.file(unit=None)
    sqlite_acme.publish(vacancy("one", "One", LONG, salary={"currency": "EUR", "min": 51_234, "max": 61_234}))
    assert "<salary>" not in sqlite_acme.get("/acme/indeed.xml").text
    assert "salaryRange" not in sqlite_acme.json("/v0/postings/acme")[0]
    job = sqlite_acme.json("/v1/boards/acme/jobs/one?pay_transparency=true")
    assert job["pay_input_ranges"] == [
        {"min_cents": 5_123_400, "max_cents": 6_123_400, "currency_type": "EUR", "title": "Salary", "blurb": None}
    ]


def test_a_company_with_its_own_host_has_feeds_there(sqlite_acme: Company):
    sqlite_acme.publish(vacancy("one", "One", LONG))
    sqlite_acme.portal.add_tenant("globex", "Globex")
    sqlite_acme.file(more='hosts = ["jobs.acme.example"]\n')
    sqlite_acme.mirror()
    own = {"Host": "jobs.acme.example"}
    for name in FEEDS:
        answer = sqlite_acme.get(f"/{name}", **own)
        assert answer.status_code == 200
        assert "https://jobs.acme.example/jobs/one" in answer.text
        assert "careers.example" not in answer.text
    for path in BOARDS:
        assert sqlite_acme.get(path, **own).status_code == 200
        others = path.replace("acme", "globex")
        assert sqlite_acme.get(others).status_code == 200
        assert sqlite_acme.get(others, **own).status_code == 404
