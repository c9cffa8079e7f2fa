"""The company's filter by department is the department in other boards' APIs and feeds."""

from pathlib import Path

import pytest

from tests.site.browse.jobs import Careers, careers, vacancy
from tests.site.feeds.markup import Page


@pytest.fixture
def firm(tmp_path: Path) -> Careers:
    made = careers(tmp_path)
    made.publish(
        vacancy("a", "Seller", department="Sales & more"),
        vacancy("b", "Buyer", department=["Purchasing", "Sales & more"]),
        vacancy("c", "Fixer", city="Wien", country="AT", department="Sales & more"),
        vacancy("d", "Nobody's"),
    )
    return made


def test_greenhouse_has_departments_of_jobs_and_jobs_of_departments(firm: Careers):
    jobs = firm.get("/v1/boards/acme/jobs?content=true").json()["jobs"]
    told = {job["title"]: [each["name"] for each in job["departments"]] for job in jobs}
    assert told == {
        "Seller": ["Sales & more"], "Buyer": ["Purchasing"], "Fixer": ["Sales & more"], "Nobody's": ["No Department"]
    }  # fmt: skip
    departments = firm.get("/v1/boards/acme/departments").json()["departments"]
    assert {each["name"]: {job["title"] for job in each["jobs"]} for each in departments} == {
        "Sales & more": {"Seller", "Fixer"}, "Purchasing": {"Buyer"}, "No Department": {"Nobody's"}
    }  # fmt: skip
    assert len({each["id"] for each in departments}) == 3


def test_an_office_has_its_departments(firm: Careers):
    offices = {each["name"]: each for each in firm.get("/v1/boards/acme/offices").json()["offices"]}
    told = {each["name"]: [job["title"] for job in each["jobs"]] for each in offices["Berlin"]["departments"]}
    assert told == {"Sales & more": ["Seller"], "Purchasing": ["Buyer"], "No Department": ["Nobody's"]}
    assert [each["name"] for each in offices["Wien"]["departments"]] == ["Sales & more"]


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("team=sales %26 more", {"Seller", "Buyer", "Fixer"}),
        ("department=Purchasing", {"Buyer"}),
        ("department=Purchasing&team=Sales %26 more&location=Wien, Austria", {"Fixer"}),
        ("department=nonsense", set()),
        ("team=Purchasing&level=y", set()),
    ],
)
def test_levers_filters_find_departments(firm: Careers, query: str, titles: set[str]):
    assert {each["text"] for each in firm.get(f"/v0/postings/acme?{query}").json()} == titles


def test_lever_groups_by_department(firm: Careers):
    groups = firm.get("/v0/postings/acme?group=team").json()
    assert [each["title"] for each in groups] == ["Purchasing", "Sales & more", ""]
    assert groups[0]["postings"][0]["categories"]["department"] == "Purchasing"


def test_indeed_has_the_department_as_a_category(firm: Careers):
    assert "<category><![CDATA[Sales & more]]></category>" in firm.get("/acme/indeed.xml").text


def test_feeds_have_the_department_as_a_category_or_tag(firm: Careers):
    feed = {item["title"]: item.get("tags") for item in firm.get("/acme/feed.json").json()["items"]}
    assert feed == {
        "Seller": ["Sales & more"], "Buyer": ["Purchasing", "Sales & more"], "Fixer": ["Sales & more"], "Nobody's": None
    }  # fmt: skip
    assert '<category term="Sales &amp; more"/>' in firm.get("/acme/feed.atom").text


def test_structured_data_has_the_department_as_the_employing_unit(firm: Careers):
    assert Page(firm.get("/acme/jobs/b").text).job["employmentUnit"] == {"@type": "Organization", "name": "Purchasing"}
    assert "employmentUnit" not in Page(firm.get("/acme/jobs/d").text).job


def test_other_filters_are_not_departments(tmp_path: Path):
    made = careers(tmp_path)
    made.portal.write_tenant(
        "acme", "Acme Robotics", '[publish]\nstages = ["Open"]\n[publish.facets]\n"Level" = "attribute:dep"\n'
    )
    made.publish(vacancy("a", "Seller", department="Senior"))
    assert "employmentUnit" not in Page(made.get("/acme/jobs/a").text).job
