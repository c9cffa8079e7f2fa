"""Greenhouse's and Lever's addresses, by a client that others wrote (jobwatch) and by what their documentation says."""

import json
import re

import pytest
from jobwatch.sources import SOURCES

from tests.site.feeds.company import BOARDS, LONG, Company, vacancy

PAY = {"currency": "EUR", "min": 50_000, "max": 60_000}


JSONP = "[feeds]\njsonp = true\n"


@pytest.fixture
def lone(lone: Company) -> Company:
    lone.publish(
        vacancy("one", "One", LONG, salary=PAY, created="2026-05-04T08:00:00Z"),
        vacancy("two", "Two", LONG, city="Paris", country="FR", way="remote", type="partTime"),
        vacancy("4711", "Three", LONG, city=None, country="FR", type="internship"),
    )
    return lone


@pytest.mark.parametrize("system", ["greenhouse", "lever"])
def test_a_client_that_others_wrote_reads_every_job(lone: Company, system: str):
    source = SOURCES[system]
    path = "/" + source.api.format(board="acme").split("/", 3)[3]
    assert source.parse is not None
    jobs = {job.title: job for job in source.parse(lone.json(path), "acme")}
    assert jobs.keys() == {"One", "Two", "Three"}
    assert jobs["One"].locations == ["Berlin, Germany"]
    assert jobs["Two"].remote is True
    assert jobs["One"].posted is not None
    assert jobs["One"].posted.isoformat() == "2026-05-04T08:00:00+00:00"
    assert jobs["One"].url == "https://careers.example/acme/jobs/one"
    assert "We weld, measure and explain" in jobs["One"].description
    if system == "lever":
        assert (jobs["One"].salary_min, jobs["One"].salary_max, jobs["One"].currency) == (50_000, 60_000, "EUR")


def test_a_greenhouse_job_is_found_by_its_number_and_by_its_posting_id(lone: Company):
    for job in lone.json("/v1/boards/acme/jobs")["jobs"]:
        by_number = lone.json(f"/v1/boards/acme/jobs/{job['id']}")
        assert by_number == lone.json(f"/v1/boards/acme/jobs/{job['requisition_id']}")
        assert by_number["title"] == job["title"]
        assert "questions" not in by_number
        assert "pay_input_ranges" not in by_number


def test_an_id_that_is_a_number_stays_it(lone: Company):
    ids = {job["title"]: job["id"] for job in lone.json("/v1/boards/acme/jobs")["jobs"]}
    assert ids["Three"] == 4711
    assert 2**52 <= ids["One"] < 2**53


@pytest.mark.parametrize("path", ["/v1/boards/acme/jobs/", "/v0/postings/acme/"])
def test_a_job_that_never_was_is_404_and_its_page_too(lone: Company, path: str):
    for unknown in ("nobody", "1", str(2**52), str(2**53 - 1), str(2**53), "9" * 100):
        answer = lone.get(path + unknown)
        assert answer.status_code == 404
        assert "error" in answer.json()
    assert lone.get(path + "a" * 101).status_code == 404
    assert lone.get(path.replace("acme", "nobody") + "one").status_code == 404


def test_it_says_what_the_form_asks_and_what_is_paid(lone: Company):
    job = lone.json("/v1/boards/acme/jobs/one?questions=true&pay_transparency=true")
    names = {field["name"] for question in job["questions"] for field in question["fields"]}
    assert {"first_name", "last_name", "email", "resume"} <= names
    assert job["pay_input_ranges"][0]["min_cents"] == 5_000_000
    assert job["pay_input_ranges"][0]["title"] == "Salary per year"
    assert lone.json("/v1/boards/acme/jobs/two?pay_transparency=true")["pay_input_ranges"] == []


def test_every_job_has_its_office(lone: Company):
    offices = {each["location"]: each for each in lone.json("/v1/boards/acme/offices")["offices"]}
    assert offices.keys() == {"Berlin, Germany", "Paris, France", "France"}
    content = lone.json("/v1/boards/acme/jobs?content=true")["jobs"]
    assert {job["offices"][0]["id"] for job in content} == {each["id"] for each in offices.values()}
    assert lone.json("/v1/boards/acme") == {"name": "Acme Robotics", "content": "We build robots."}


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("", {"One", "Two", "Three"}),
        ("location=Berlin, Germany", {"One"}),
        ("location=berlin, germany", {"One"}),
        ("location=Berlin, Germany&location=France", {"One", "Three"}),
        ("location=Atlantis", set()),
        ("commitment=Part-time", {"Two"}),
        ("commitment=Part-time&commitment=Internship", {"Two", "Three"}),
        ("commitment=Part-time&location=Berlin, Germany", set()),
        ("commitment=nonsense", set()),
        ("team=Robots", set()),
        ("department=x&level=y", set()),
        ("limit=0", set()),
        ("skip=3", set()),
        ("skip=nonsense&limit=-1", {"One", "Two", "Three"}),
        ("limit=1000000000000", {"One", "Two", "Three"}),
    ],
)
def test_lever_filters_narrow(lone: Company, query: str, titles: set[str]):
    assert {posting["text"] for posting in lone.json(f"/v0/postings/acme?mode=json&{query}")} == titles


def test_skip_and_limit_walk_through_the_whole_list(acme: Company):
    acme.publish(*(vacancy(f"v{n}", f"V{n}", LONG, city=f"City {n % 2}") for n in range(7)))
    everything = [posting["id"] for posting in acme.json("/v0/postings/acme")]
    walked = [
        posting["id"] for skip in range(0, 9, 2) for posting in acme.json(f"/v0/postings/acme?skip={skip}&limit=2")
    ]
    assert walked == everything
    narrowed = acme.json("/v0/postings/acme?location=City 1, Germany&commitment=Full-time&limit=2&skip=1")
    assert [posting["categories"]["location"] for posting in narrowed] == ["City 1, Germany"] * 2


def test_no_answer_that_was_narrowed_is_longer_than_a_thousand(lone: Company):
    lone.publish(*(vacancy(f"m{n}", f"M{n}", "") for n in range(998)))
    assert len(lone.json("/v0/postings/acme?skip=0&limit=5000")) == 1_000
    assert len(lone.json("/v0/postings/acme?skip=1")) == 1_000
    assert len(lone.json("/v0/postings/acme?skip=2")) == 999
    assert len(lone.json("/v0/postings/acme")) == 1_001


def test_lever_groups(lone: Company):
    by = lone.json("/v0/postings/acme?group=commitment")
    assert [group["title"] for group in by] == ["Full-time", "Internship", "Part-time"]
    assert [len(group["postings"]) for group in by] == [1, 1, 1]
    assert lone.json("/v0/postings/acme?group=team")[0]["title"] == ""
    assert isinstance(lone.json("/v0/postings/acme?group=nonsense")[0]["id"], str)


def test_other_modes_are_not_there(lone: Company):
    assert lone.get("/v0/postings/acme?mode=html").status_code == 400


@pytest.mark.parametrize("path", [*BOARDS, "/v1/boards/acme/jobs/one", "/v1/boards/acme/jobs/none"])
@pytest.mark.parametrize("more", ["", "[feeds]\njsonp = false\n"])
def test_a_callback_is_refused_unless_the_company_wants_it(lone: Company, path: str, more: str):
    lone.file(more=more)
    both = "&" if "?" in path else "?"
    answer = lone.get(f"{path}{both}callback=my_App.$jobs")
    assert answer.status_code == 403
    assert "javascript" not in answer.headers["Content-Type"]


@pytest.mark.parametrize("path", [path for path in BOARDS if "boards" in path] + ["/v1/boards/acme/jobs/one"])
def test_a_callback_is_called_with_the_same_json(lone: Company, path: str):
    lone.file(more=JSONP)
    both = "&" if "?" in path else "?"
    answer = lone.get(f"{path}{both}callback=my_App.$jobs")
    assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    found = re.fullmatch(r"(?s)/\*\*/my_App\.\$jobs\((.*)\);\n", answer.text)
    assert found
    assert json.loads(found[1]) == lone.json(path)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "a" * 101,
        "1a",
        "a b",
        "alert(1)//",
        "a[0]",
        "a.",
        ".a",
        "a..b",
        "a-b",
        "<script>",
        "ä",
        "a\n",
        "a.b.c.d.e.f",
    ],
)
@pytest.mark.parametrize("path", ["/v1/boards/acme/jobs", "/v1/boards/acme/jobs/one", "/v1/boards/acme"])
def test_what_is_no_name_is_not_called(lone: Company, path: str, name: str):
    lone.file(more=JSONP)
    with lone.portal.browser() as browser:
        answer = browser.get(path, params={"callback": name})
    assert answer.status_code == 400
    assert "javascript" not in answer.headers["Content-Type"]


@pytest.mark.parametrize("name", ["a" * 100, "a.b.c.d.e", "$", "_1"])
def test_a_name_at_the_limit_is_called(lone: Company, name: str):
    lone.file(more=JSONP)
    assert lone.get(f"/v1/boards/acme?callback={name}").text.startswith(f"/**/{name}(")


def test_what_is_too_long_for_a_callback_is_fetched_as_json(lone: Company):
    lone.file(more=JSONP)
    big = "<p>" + "robots and people " * 9_000 + "</p>"
    lone.publish(*(vacancy(f"b{n}", f"B{n}", big) for n in range(55)))
    assert len(lone.get("/v1/boards/acme/jobs?content=true").content) > 8_000_000
    answer = lone.get("/v1/boards/acme/jobs?content=true&callback=a")
    assert (answer.status_code, answer.json()["status"]) == (400, 400)
