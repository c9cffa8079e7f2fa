"""A third-party client (jobwatch) reads the APIs in Greenhouse's and Lever's formats, as documented."""

import json
import re
from collections.abc import Iterator

import pytest
from jobwatch.sources import SOURCES

from tests.site.feeds.company import BOARDS, LONG, Company, company, vacancy

PAY = {"currency": "EUR", "min": 50_000, "max": 60_000}


JSONP = "[feeds]\njsonp = true\n"


def with_three(made: Company) -> Company:
    made.publish(
        vacancy("one", "One", LONG, salary=PAY, created="2026-05-04T08:00:00Z"),
        vacancy("two", "Two", LONG, city="Paris", country="FR", way="remote", type="partTime"),
        vacancy("4711", "Three", LONG, city=None, country="FR", type="internship"),
    )
    return made


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    """Three jobs, which no test changes."""
    made = with_three(company(tmp_path_factory.mktemp("three")))
    yield made
    made.portal.parts.close()


@pytest.fixture(scope="module")
def jsonp(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    """The same for a company that allows callbacks."""
    made = with_three(company(tmp_path_factory.mktemp("jsonp")))
    made.file(more=JSONP)
    yield made
    made.portal.parts.close()


@pytest.mark.parametrize("system", ["greenhouse", "lever"])
def test_a_third_party_client_reads_every_job(three: Company, system: str):
    source = SOURCES[system]
    path = "/" + source.api.format(board="acme").split("/", 3)[3]
    assert source.parse is not None
    jobs = {job.title: job for job in source.parse(three.json(path), "acme")}
    assert jobs.keys() == {"One", "Two", "Three"}
    assert jobs["One"].locations == ["Berlin, Germany"]
    assert jobs["Two"].remote is True
    assert jobs["One"].posted is not None
    assert jobs["One"].posted.isoformat() == "2026-05-04T08:00:00+00:00"
    assert jobs["One"].url == "https://careers.example/acme/jobs/one"
    assert "We weld, measure and explain" in jobs["One"].description
    if system == "lever":
        assert (jobs["One"].salary_min, jobs["One"].salary_max, jobs["One"].currency) == (50_000, 60_000, "EUR")


def test_a_greenhouse_job_is_found_by_its_number_and_by_its_posting_id(three: Company):
    for job in three.json("/v1/boards/acme/jobs")["jobs"]:
        by_number = three.json(f"/v1/boards/acme/jobs/{job['id']}")
        assert by_number == three.json(f"/v1/boards/acme/jobs/{job['requisition_id']}")
        assert by_number["title"] == job["title"]
        assert "questions" not in by_number
        assert "pay_input_ranges" not in by_number


def test_a_numeric_id_is_unchanged(three: Company):
    ids = {job["title"]: job["id"] for job in three.json("/v1/boards/acme/jobs")["jobs"]}
    assert ids["Three"] == 4711
    assert 2**52 <= ids["One"] < 2**53


@pytest.mark.parametrize("path", ["/v1/boards/acme/jobs/", "/v0/postings/acme/"])
def test_an_unknown_job_is_404_and_so_is_its_page(three: Company, path: str):
    for unknown in ("nobody", "1", str(2**52), str(2**53 - 1), str(2**53), "9" * 100):
        answer = three.get(path + unknown)
        assert answer.status_code == 404
        assert "error" in answer.json()
    assert three.get(path + "a" * 101).status_code == 404
    assert three.get(path.replace("acme", "nobody") + "one").status_code == 404


def test_the_response_lists_form_fields_and_salary(three: Company):
    job = three.json("/v1/boards/acme/jobs/one?questions=true&pay_transparency=true")
    names = {field["name"] for question in job["questions"] for field in question["fields"]}
    assert {"first_name", "last_name", "email", "resume"} <= names
    assert job["pay_input_ranges"][0]["min_cents"] == 5_000_000
    assert job["pay_input_ranges"][0]["title"] == "Salary per year"
    assert three.json("/v1/boards/acme/jobs/two?pay_transparency=true")["pay_input_ranges"] == []


def test_every_job_has_its_office(three: Company):
    offices = {each["location"]: each for each in three.json("/v1/boards/acme/offices")["offices"]}
    assert offices.keys() == {"Berlin, Germany", "Paris, France", "France"}
    content = three.json("/v1/boards/acme/jobs?content=true")["jobs"]
    assert {job["offices"][0]["id"] for job in content} == {each["id"] for each in offices.values()}
    assert three.json("/v1/boards/acme") == {"name": "Acme Robotics", "content": "We build robots."}


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
def test_levers_filters_narrow_the_list(three: Company, query: str, titles: set[str]):
    assert {posting["text"] for posting in three.json(f"/v0/postings/acme?mode=json&{query}")} == titles


def test_skip_and_limit_visit_the_whole_list(acme: Company):
    acme.publish(*(vacancy(f"v{n}", f"V{n}", LONG, city=f"City {n % 2}") for n in range(7)))
    everything = [posting["id"] for posting in acme.json("/v0/postings/acme")]
    walked = [
        posting["id"] for skip in range(0, 9, 2) for posting in acme.json(f"/v0/postings/acme?skip={skip}&limit=2")
    ]
    assert walked == everything
    narrowed = acme.json("/v0/postings/acme?location=City 1, Germany&commitment=Full-time&limit=2&skip=1")
    assert [posting["categories"]["location"] for posting in narrowed] == ["City 1, Germany"] * 2


def test_a_filtered_response_has_at_most_a_thousand_jobs(sqlite_acme: Company):
    with_three(sqlite_acme)
    sqlite_acme.publish(*(vacancy(f"m{n}", f"M{n}", "") for n in range(998)))
    assert len(sqlite_acme.json("/v0/postings/acme?skip=0&limit=5000")) == 1_000
    assert len(sqlite_acme.json("/v0/postings/acme?skip=1")) == 1_000
    assert len(sqlite_acme.json("/v0/postings/acme?skip=2")) == 999
    assert len(sqlite_acme.json("/v0/postings/acme")) == 1_001


def test_lever_groups_jobs(three: Company):
    by = three.json("/v0/postings/acme?group=commitment")
    assert [group["title"] for group in by] == ["Full-time", "Internship", "Part-time"]
    assert [len(group["postings"]) for group in by] == [1, 1, 1]
    assert three.json("/v0/postings/acme?group=team")[0]["title"] == ""
    assert isinstance(three.json("/v0/postings/acme?group=nonsense")[0]["id"], str)


def test_other_modes_are_not_supported(three: Company):
    assert three.get("/v0/postings/acme?mode=html").status_code == 400


@pytest.mark.parametrize("more", ["", "[feeds]\njsonp = false\n"])
def test_a_callback_is_rejected_unless_the_company_allows_it(sqlite_acme: Company, more: str):
    with_three(sqlite_acme)
    sqlite_acme.file(more=more)
    for path in (*BOARDS, "/v1/boards/acme/jobs/one", "/v1/boards/acme/jobs/none"):
        both = "&" if "?" in path else "?"
        answer = sqlite_acme.get(f"{path}{both}callback=my_App.$jobs")
        assert answer.status_code == 403, path
        assert "javascript" not in answer.headers["Content-Type"], path


@pytest.mark.parametrize("path", [path for path in BOARDS if "boards" in path] + ["/v1/boards/acme/jobs/one"])
def test_a_callback_is_called_with_the_same_json(jsonp: Company, path: str):
    both = "&" if "?" in path else "?"
    answer = jsonp.get(f"{path}{both}callback=my_App.$jobs")
    assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    found = re.fullmatch(r"(?s)/\*\*/my_App\.\$jobs\((.*)\);\n", answer.text)
    assert found
    assert json.loads(found[1]) == jsonp.json(path)


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
def test_an_invalid_callback_name_is_not_called(jsonp: Company, path: str, name: str):
    with jsonp.portal.browser() as browser:
        answer = browser.get(path, params={"callback": name})
    assert answer.status_code == 400
    assert "javascript" not in answer.headers["Content-Type"]


@pytest.mark.parametrize("name", ["a" * 100, "a.b.c.d.e", "$", "_1"])
def test_a_callback_name_at_the_limit_is_called(jsonp: Company, name: str):
    assert jsonp.get(f"/v1/boards/acme?callback={name}").text.startswith(f"/**/{name}(")


def test_a_response_too_long_for_a_callback_is_available_as_json(sqlite_acme: Company):
    with_three(sqlite_acme)
    sqlite_acme.file(more=JSONP)
    big = "<p>" + "robots and people " * 9_000 + "</p>"
    sqlite_acme.publish(*(vacancy(f"b{n}", f"B{n}", big) for n in range(55)))
    assert len(sqlite_acme.get("/v1/boards/acme/jobs?content=true").content) > 8_000_000
    answer = sqlite_acme.get("/v1/boards/acme/jobs?content=true&callback=a")
    assert (answer.status_code, answer.json()["status"]) == (400, 400)
