"""A tenant's own front end gets the pages' jobs as JSON, in its language, page by page."""

import pytest

from tests.site.browse.jobs import careers, vacancy

OWN_HOST = "http://careers.acme.example:8000"


def test_a_job_has_the_same_facts_as_its_card(acme):
    acme.publish(
        vacancy(
            "j1",
            "Robot engineer",
            "<p>Weld &amp; measure.</p>",
            client="Globex",
            department="Welding",
            salary={"currency": "EUR", "min": 50_000, "max": 60_000.5},
            end="2027-01-31T00:00:00Z",
        )
    )
    told = acme.get("/acme/jobs.json").json()
    assert told["company"] == {"name": "Acme Robotics", "url": "http://careers.acme.example:8000/"}
    assert (told["total"], told["next"], told["lang"]) == (1, None, "en")
    (job,) = told["jobs"]
    assert job.pop("updatedAt")
    assert job == {
        "id": "j1",
        "title": "Robot engineer",
        "url": "http://careers.acme.example:8000/jobs/j1",
        "applyUrl": "http://careers.acme.example:8000/jobs/j1/apply",
        "language": "en",
        "summary": "Weld & measure.",
        "city": "Berlin",
        "region": None,
        "country": "DE",
        "placeName": "Berlin, Germany",
        "employmentType": "fullTime",
        "employmentTypeName": "Full-time",
        "locationType": "onsite",
        "locationTypeName": "On-site",
        "facets": [
            {"name": "facet-client", "label": "Client", "values": ["Globex"]},
            {"name": "facet-department", "label": "Department", "values": ["Welding"]},
        ],
        "client": "Globex",
        "salary": {"currency": "EUR", "min": 50_000.0, "max": 60_000.5, "unit": None},
        "postedAt": "2026-05-04T08:00:00Z",
        "closesAt": "2027-01-31T00:00:00Z",
        "distanceKm": None,
        "distanceName": None,
    }
    assert told["notices"] == []


def test_each_job_has_its_distance(acme):
    acme.publish(vacancy("j1", "A"), vacancy("j2", "B", city="Potsdam"), vacancy("j3", "C", city="", way="remote"))
    jobs = {job["id"]: job for job in acme.get("/acme/jobs.json?near=Berlin&within=50&lang=de").json()["jobs"]}
    assert jobs["j1"]["distanceKm"] == 0
    assert 20 < jobs["j2"]["distanceKm"] < 35
    assert jobs["j2"]["distanceName"] == f"{round(jobs['j2']['distanceKm'])} km entfernt"
    assert (jobs["j3"]["distanceKm"], jobs["j3"]["distanceName"]) == (None, "Remote (Deutschland)")


def test_unknown_values_are_reported_as_on_the_page(acme):
    acme.publish(vacancy("j1", "Robot engineer"))
    told = acme.get("/acme/jobs.json?near=Xyzzyville&city=Atlantis&lang=xx&facet-department=Moon&q=%3F!").json()
    assert [(each["about"], each["value"]) for each in told["notices"]] == [
        ("filter", "Atlantis"), ("filter", "Moon"), ("q", "?!"), ("near", "Xyzzyville"), ("lang", None),
    ]  # fmt: skip
    assert told["total"] == 1
    assert told["notices"][3]["says"].startswith("The location “Xyzzyville” was not recognised")
    assert "This page is in English" in told["notices"][4]["says"]
    assert acme.get("/acme/jobs.json?lang=en").json()["notices"] == []


def test_corrected_values_are_reported(acme):
    acme.publish(vacancy("j1", "Robot engineer", city="Hamburg"))
    told = acme.get("/acme/jobs.json?near=Hambrug&q=enginer%20&within=5").json()
    assert [job["id"] for job in told["jobs"]] == ["j1"]
    assert [each["about"] for each in told["notices"]] == ["q", "near"]
    assert "Hamburg" in told["notices"][1]["says"]


@pytest.mark.parametrize(
    ("query", "about", "says"),
    [
        ("limit=101", "limit", "A page can have 1 to 100 jobs. “101” was ignored, and this page has up to 20."),
        ("limit=0", "limit", "A page can have 1 to 100 jobs. “0” was ignored, and this page has up to 20."),
        (
            "near=Berlin&within=7",
            "within",
            "The distance must be one of 5, 10, 25, 50, 100 km. “7” was ignored, and these jobs are within 50 km.",
        ),
        ("after=nonsense", "after", "No page of this list starts at “nonsense”, so this is the first page."),
        ("after=%20", "after", "No page of this list starts at “ ”, so this is the first page."),
    ],
)
def test_a_meaningless_number_is_ignored_and_reported(acme, query, about, says):
    acme.publish(vacancy("j1", "Robot engineer"))
    for _ in range(2):  # a cached response is for the same query without it
        told = acme.get(f"/acme/jobs.json?{query}").json()
        assert [(each["about"], each["says"]) for each in told["notices"]] == [(about, says)]
        assert told["total"] == 1
    assert acme.get("/acme/jobs.json").json()["notices"] == []


@pytest.mark.parametrize("query", ["limit=1", "limit=100", "near=Berlin&within=5", "within=7", "limit="])
def test_a_meaningful_number_is_not_reported(acme, query):
    acme.publish(vacancy("j1", "Robot engineer"), vacancy("j2", "Robot engineer"))
    told = acme.get(f"/acme/jobs.json?{query}").json()
    assert told["notices"] == []
    if told["next"]:
        assert acme.get(told["next"].replace(OWN_HOST, "/acme")).json()["notices"] == []


def test_names_are_in_the_language_of_the_address(acme):
    acme.publish(vacancy("j1", "Robot engineer"))
    told = acme.get("/acme/jobs.json?lang=de").json()
    assert told["lang"] == "de"
    assert told["jobs"][0]["placeName"] == "Berlin, Deutschland"
    assert told["jobs"][0]["url"].endswith("/jobs/j1?lang=de")
    assert told["facets"]["country"] == [{"value": "DE", "name": "Deutschland", "count": 1}]


def test_unpublished_data_is_not_included(tmp_path):
    acme = careers(tmp_path, salary=False, client=False)
    acme.publish(
        vacancy("j1", "Robot engineer", client="Globex", salary={"currency": "EUR", "min": 51_234, "max": 60_000})
    )
    for address in ("/acme/jobs.json", "/acme/jobs/j1.json"):
        answer = acme.get(address)
        assert "Globex" not in answer.text
        assert "51234" not in answer.text
    assert answer.json()["salary"] is None
    assert answer.json()["client"] is None


def test_filter_counts_equal_those_of_the_list(acme):
    acme.publish(
        vacancy("a", "A", city="Berlin"), vacancy("b", "B", city="Berlin", way="remote"), vacancy("c", "C", city="Bonn")
    )
    told = acme.get("/acme/jobs.json?city=Berlin&locationType=remote&locationType=nonsense").json()
    assert [job["id"] for job in told["jobs"]] == ["b"]
    assert told["facets"]["locationType"] == [
        {"value": "onsite", "name": "On-site", "count": 1},
        {"value": "remote", "name": "Remote", "count": 1},
    ]
    own = {"facet-client", "facet-department"}
    assert set(told["facets"]) == {"city", "country", "employmentType", "locationType", *own}


@pytest.mark.parametrize("query", ["facet-department=Sales", "team=sales", "facet-department=SALES&team=x"])
def test_a_team_narrows_the_list(acme, query):
    acme.publish(vacancy("a", "A", department="Sales"), vacancy("b", "B", department="Service"))
    told = acme.get(f"/acme/jobs.json?{query}").json()
    assert [job["id"] for job in told["jobs"]] == ["a"]
    assert told["facets"]["facet-department"] == [
        {"value": "Sales", "name": "Sales", "count": 1},
        {"value": "Service", "name": "Service", "count": 1},
    ]


def test_words_can_be_searched_for(acme):
    acme.publish(vacancy("a", "Welder"), vacancy("b", "Painter"))
    assert [job["id"] for job in acme.get("/acme/jobs.json?q=painter").json()["jobs"]] == ["b"]


def test_following_next_visits_every_job_once(acme):
    acme.publish(*(vacancy(f"j{n}", f"Job {n}") for n in range(7)))
    met, address, pages = [], "/acme/jobs.json?limit=3&country=DE", 0
    while address:
        told = acme.get(address).json()
        met += [job["id"] for job in told["jobs"]]
        address, pages = told["next"] and told["next"].replace(OWN_HOST, "/acme"), pages + 1
    assert sorted(met) == [f"j{n}" for n in range(7)]
    assert pages == 3


@pytest.mark.parametrize(("limit", "shown"), [("1", 1), ("100", 100), ("101", 20), ("0", 20), ("-1", 20), ("٣", 20)])
def test_a_page_has_one_to_a_hundred_jobs(acme, limit, shown):
    acme.publish(*(vacancy(f"j{n}", f"Job {n}") for n in range(102)))
    assert len(acme.get(f"/acme/jobs.json?limit={limit}").json()["jobs"]) == shown


def test_a_single_job_has_its_text_and_how_to_apply(acme):
    acme.portal.write_tenant(
        "acme",
        "Acme Robotics",
        '[publish]\nstages = ["Open"]\n[apply]\nconsent = "You may keep it."\nprivacy_url = "https://acme.example/p"',
    )
    acme.publish(vacancy("j1", "Robot engineer", "<h1>Tasks</h1><p onclick='x'>Weld.</p><script>alert(1)</script>"))
    job = acme.get("/acme/jobs/j1.json").json()
    assert job["descriptionHtml"] == "<h2>Tasks</h2><p>Weld.</p>"
    assert job["summary"] == "Weld."
    apply = job["apply"]
    assert apply["url"] == "http://127.0.0.1:8000/acme/vacancy-portal/jobs/j1"
    assert apply["uploadsUrl"] == "http://127.0.0.1:8000/acme/uploads"
    assert apply["cv"] == {
        "label": "CV file",
        "help": "PDF, Word, ODT, RTF or plain text, up to 10 MB.",
        "maxBytes": 10_485_760,
        "types": [".pdf", ".docx", ".odt", ".rtf", ".txt", ".doc"],
    }
    assert (apply["consent"], apply["privacyUrl"]) == ("You may keep it.", "https://acme.example/p")
    fields = {field["name"]: (field["type"], field["required"], field["maxLength"]) for field in apply["fields"]}
    assert fields == {
        "firstName": ("text", True, 100),
        "lastName": ("text", True, 100),
        "email": ("email", True, 254),
        "phoneNumber": ("tel", True, 50),
        "networkUrl": ("url", False, 2048),
        "city": ("text", False, 200),
        "region": ("text", False, 200),
        "postalCode": ("text", False, 20),
        "country": ("country", False, 2),
    }


def test_unknown_and_closed_jobs_are_problem_responses(acme):
    acme.publish(vacancy("j1", "Robot engineer", end="2026-07-01T00:00:00Z"), vacancy("j2", "Welder"))
    acme.clock.pass_time(400 * 86_400)
    for address, status in (("/acme/jobs/nope.json", 404), ("/acme/jobs/j1.json", 410), ("/nobody/jobs.json", 404)):
        answer = acme.get(address)
        assert answer.status_code == status
        assert answer.headers["Content-Type"] == "application/problem+json"
        problem = answer.json()
        assert (problem["type"], problem["status"]) == ("about:blank", status)
        assert problem["detail"].endswith(".")


def test_an_unsupported_method_is_a_problem_response(acme):
    with acme.portal.browser() as browser:
        answer = browser.delete("/acme/jobs.json")
    assert answer.status_code == 405
    assert "GET" in answer.headers["Allow"]
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_an_unchanged_response_is_304(acme):
    acme.publish(*(vacancy(f"j{n}", "Robot engineer") for n in range(3)))
    for address in ("/acme/jobs.json", "/acme/jobs/j1.json", "/acme/jobs.json?q=robot"):
        first = acme.get(address, **{"Accept-Encoding": "br"})
        assert first.headers["Content-Encoding"] == "br"
        assert "Set-Cookie" not in first.headers
        again = acme.get(address, **{"Accept-Encoding": "br", "If-None-Match": first.headers["ETag"]})
        assert (again.status_code, again.content) == (304, b"")


def test_a_closed_job_leaves_the_list_in_the_same_second(acme):
    acme.publish(vacancy("j1", "Robot engineer"), vacancy("j2", "Welder"))
    assert acme.get("/acme/jobs.json").json()["total"] == 2
    acme.publish(vacancy("j1", "Robot engineer", stage="Closed"))
    assert [job["id"] for job in acme.get("/acme/jobs.json").json()["jobs"]] == ["j2"]
    assert acme.get("/acme/jobs/j1.json").status_code == 410
