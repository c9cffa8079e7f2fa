"""Company texts that are missing in the page's language are shown in their own, marked with it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import builders
from tests.site.apply.applicant import Page
from tests.site.browse.jobs import vacancy

FILE = """
[publish]
stages = ["Open"]
[publish.facets]
"Department" = "attribute:dep"
"Level" = "attribute:level"
[site]
locales = ["en", "de", "de-AT"]
tagline = "Robots that are good company"
about = "We build robots."
links = [["The company", "https://www.acme.example"]]
[[site.why]]
title = "Time"
text = "Enough of it."
[site.quote]
text = "It is good here."
[site.text.de]
about = "Hier entstehen Roboter."
[site.text.de.facets]
"Department" = "Abteilung"
"""


@pytest.fixture
def acme(tmp_path: Path) -> Iterator[builders.Portal]:
    made = builders.portal(tmp_path / "portal")
    made.add_tenant("acme", "Acme", FILE)
    jobs = [vacancy(f"job-{n}", "Welder", department=name) for n, name in enumerate(("Care", "Sales"))]
    made.service.load("acme", jobs)
    made.work.mirror_what_is_due()
    yield made
    made.parts.database.close()


def languages(acme: builders.Portal, path: str) -> dict[str, str | None]:
    """Return each text of the page with the language that it is marked as."""
    with acme.browser() as browser:
        page = Page(browser.get(f"/acme/{path}"))
    found: dict[str, str | None] = {}

    def walk(element, tongue: str | None) -> None:
        tongue = element.get("lang", tongue)
        found[" ".join("".join(element.itertext()).split())] = tongue
        for child in element:
            walk(child, tongue)

    walk(page.root, None)
    return found


ENGLISH = ["Robots that are good company", "The company", "Time", "It is good here."]


@pytest.mark.parametrize("tag", ["de", "de-AT"])
def test_each_text_in_another_language_is_marked(acme: builders.Portal, tag: str):
    said = languages(acme, f"?lang={tag}")
    assert {text: said[text] for text in ENGLISH} == dict.fromkeys(ENGLISH, "en")
    assert said["Hier entstehen Roboter."] == tag


def test_names_and_values_of_the_companys_filters_are_marked(acme: builders.Portal):
    said = languages(acme, "?lang=de-AT&facet-department=Care")
    assert said["Abteilung"] == "de-AT"
    assert said["Care"] == "en"


def test_nothing_is_marked_if_everything_is_translated(acme: builders.Portal):
    said = languages(acme, "?facet-department=Care")
    assert {said[text] for text in ("Department", "Care")} == {"en"}
    assert {said[text] for text in ENGLISH if text in said} == {"en"}
    with acme.browser() as browser:
        assert 'lang="en" dir' not in browser.get("/acme/").text.partition("<body>")[2]
