"""A job that was found by its occupation only says so in the page's language."""

import re
from html import unescape

from tests.site.browse.jobs import Careers, vacancy


def text(page: str) -> str:
    return " ".join(unescape(re.sub("<[^>]+>", " ", page)).split())


def test_the_job_shows_the_title_that_was_searched_for(acme: Careers):
    acme.publish(vacancy("v1", "Hebamme"), vacancy("v2", "Pflegefachperson"), vacancy("v3", "Nurse"))
    page = text(acme.get("/acme/?q=nurse").text)
    assert page.count("Similar job title: nurse") == 1
    assert page.index("Nurse") < page.index("Pflegefachperson") < page.index("Similar job title: nurse")
    assert "Similar job title: midwife" in text(acme.get("/acme/?q=sage-femme").text)
    assert "Similar job title" not in text(acme.get("/acme/?q=Hebamme").text)
    assert "Similar job title" not in text(acme.get("/acme/").text)
