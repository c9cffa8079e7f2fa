"""A third-party validator accepts structured data, by schema.org's vocabulary and Google's requirements."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.site.browse.jobs import vacancy
from tests.site.feeds.markup import VOCABULARY, Page, adobe, values

RULES = tomllib.loads((Path(__file__).parent / "google_rules.toml").read_text(encoding="utf-8"))
KINDS = {"boolean": bool, "number": (int, float)}
LITERALS = {
    "Text": str,
    "URL": str,
    "Number": (int, float),
    "Integer": int,
    "Boolean": bool,
    "Date": str,
    "DateTime": str,
}
OFFER = {"currency": "EUR", "min": 50000, "max": 62500.5}
JOBS = {
    "whole": vacancy("whole", "Welder", end="2026-12-31T22:00:00Z", salary=OFFER, client="Lindenquell"),
    "remote": vacancy("remote", "Welder at home", way="remote", salary={**OFFER, "max": None}, type="internship"),
    "plain": vacancy("plain", "Cook", type=None, way=None),
    "bare": vacancy("bare", "Waiter", "", created=None, country=None),
    "odd": vacancy("odd", "</script> “é” & <b>", "<p>&lt;/script&gt; <a href='https://a.example/?a=1&b=2'>x</a></p>"),
}


@pytest.fixture
def pages(careers) -> dict[str, Page]:
    careers.publish(*JOBS.values())
    addresses = {name: f"/acme/jobs/{name}" for name in JOBS} | {
        "list": "/acme/",
        "deutsch": "/acme/jobs/whole?lang=de",
    }
    return {name: Page(careers.get(path).text) for name, path in addresses.items()}


def problems(node: dict[str, Any]) -> list[str]:
    """Return violations of the vocabulary and Google's rules by a node and those in it."""
    found = list(against_the_vocabulary(node)) + list(against_google(node))
    for value in node.values():
        for one in value if isinstance(value, list) else [value]:
            found += problems(one) if isinstance(one, dict) else []
    return found


def against_the_vocabulary(node: dict[str, Any]):
    kind = node["@type"]
    if kind not in VOCABULARY:
        yield f"{kind} is no type"
        return
    known = properties(kind)
    for name, value in node.items():
        if name.startswith("@"):
            continue
        if name not in known:
            yield f"{kind} has no {name}"
            continue
        for one in value if isinstance(value, list) else [value]:
            expected = known[name]
            if isinstance(one, str) and one.startswith("http") and not set(expected) & LITERALS.keys():
                continue  # a URL replaces an object
            fits = (
                bool({one["@type"], *above(one["@type"])} & set(expected))
                if isinstance(one, dict)
                else any(isinstance(one, LITERALS[each]) for each in expected if each in LITERALS)
            )
            if not fits:
                yield f"{kind}.{name} is none of {expected}"


def above(kind: str) -> set[str]:
    parents = VOCABULARY.get(kind, {"parents": []})["parents"]
    return {*parents, *(up for one in parents for up in above(one))}


def properties(kind: str) -> dict[str, list[str]]:
    return {
        name: ranges
        for one in (kind, *above(kind))
        for name, ranges in VOCABULARY.get(one, {"properties": {}})["properties"].items()
    }


def against_google(node: dict[str, Any]):
    rules = RULES.get(node["@type"], {})
    said = dict(values(node))
    there = {".".join(path.split(".")[:n]) for path in said for n in range(1, path.count(".") + 2)}
    yield from (f"{one} is required" for one in rules.get("required", []) if one not in there or said.get(one) == "")
    ways = rules.get("one_of", [])
    if ways and not any(set(way) <= there for way in ways):
        yield f"none of {ways}"
    for path, pattern in rules.get("patterns", {}).items():
        if path in said and not re.fullmatch(pattern, str(said[path])):
            yield f"{path} is not as it is to be written"
    for path, kind in rules.get("kinds", {}).items():
        if path in said and not isinstance(said[path], KINDS[kind]):
            yield f"{path} is no {kind}"
    for first, others in rules.get("together", {}).items():
        yield from (f"{first} without {one}" for one in others if first in there and one not in there)


def test_every_page_conforms_to_the_vocabulary_and_googles_rules(pages):
    assert {
        name: found for name, page in pages.items() if (found := [p for b in page.blocks for p in problems(b)])
    } == {}
    kinds = {block["@type"] for page in pages.values() for block in page.blocks}
    assert kinds == {"JobPosting", "BreadcrumbList", "Organization", "WebSite"}
    assert pages["bare"].block("JobPosting") is None


def test_adobes_validator_finds_no_error(pages):
    answers = dict(zip(pages, adobe(*(page.text for page in pages.values())), strict=True))
    assert "JobPosting" in answers["whole"]["types"]
    for name, answer in answers.items():
        assert answer["problems"] == [], name
        assert [one for one in answer["issues"] if one["severity"] == "ERROR"] == [], name
    # All that Google recommends is present too, if the job has a location and an end.
    assert {one["issueMessage"] for one in answers["whole"]["issues"]} <= {
        'Missing field "applicantLocationRequirements" (optional)',
        'Missing field "jobLocationType" (optional)',
    }


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda job: job.pop("title"), "title is required"),
        (lambda job: job.update(wages=1), "JobPosting has no wages"),
        (lambda job: job.update(datePosted="4 May 2026"), "datePosted is not as it is to be written"),
        (lambda job: job["baseSalary"]["value"].update(minValue="50,000"), "baseSalary.value.minValue is no number"),
        (lambda job: job["jobLocation"]["address"].pop("addressCountry"), "none of"),
        (lambda job: job.update(hiringOrganization=3), "JobPosting.hiringOrganization is none of"),
    ],
)
def test_the_checks_find_errors(pages, spoil, said):
    job = pages["whole"].job
    spoil(job)
    assert any(one.startswith(said) for one in problems(job))


def test_adobes_validator_finds_errors(pages):
    spoilt = pages["whole"].text.replace('"datePosted"', '"dateMade"')
    issues = adobe(spoilt)[0]["issues"]
    assert any(one["severity"] == "ERROR" for one in issues)
    assert any("dateMade" in str(one) for one in issues)
