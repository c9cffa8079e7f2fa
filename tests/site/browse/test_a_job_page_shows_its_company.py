"""A job page shows the company, if its file describes it, and similar jobs."""

import re

import pytest

from tests.site.browse.jobs import Careers, vacancy

MORE = """
benefits = ["Lunch", "A bench each"]
[[site.why]]
title = "Time"
text = "Four days a week."
[[site.people]]
name = "Ada Berg"
role = "Welder"
says = "I stay."
[site.text.de]
benefits = ["Mittagessen"]
[site.text.de.people."Ada Berg"]
says = "Ich bleibe."
"""


def tell(acme: Careers, more: str) -> None:
    path = acme.portal.folder / "tenants" / "acme.toml"
    path.write_text(path.read_text().replace("about =", f"{more.strip().partition(chr(10))[0]}\nabout =", 1))
    path.write_text(path.read_text() + more.strip().partition("\n")[2] + "\n")
    acme.clock.pass_time(1)


def company(page: str) -> str:
    found = re.search(r'<section class="company".*?</section>', page, re.DOTALL)
    assert found
    return found[0]


def test_the_company_is_below_the_last_apply_button(acme: Careers):
    tell(acme, MORE)
    acme.publish(vacancy("w1", "Welder"))
    page = acme.get("/acme/jobs/w1").text
    assert page.index('class="company"') > page.rindex('href="/acme/jobs/w1/apply"')
    shown = company(page)
    places = [shown.index(words) for words in ("We build robots.", "Lunch", "Four days a week.", "I stay.", "Ada Berg")]
    assert places == sorted(places)
    assert 'href="/acme/#about"' in shown
    assert "Welder" in shown


def test_a_text_missing_in_the_pages_language_is_marked_with_its_own(acme: Careers):
    tell(acme, MORE)
    acme.publish(vacancy("w1", "Welder"))
    shown = company(acme.get("/acme/jobs/w1?lang=de").text)
    assert "Mittagessen" in shown
    assert "A bench each" not in shown
    assert "<blockquote>Ich bleibe.</blockquote>" in shown
    assert '<span lang="en" dir="ltr">Welder</span>' in shown
    assert '<ul class="whys" lang="en" dir="ltr">' in shown


def test_a_company_without_a_description_has_no_such_section(acme: Careers):
    path = acme.portal.folder / "tenants" / "acme.toml"
    path.write_text(path.read_text().replace('about = "We build robots."\n', ""))
    acme.publish(vacancy("w1", "Welder"))
    page = acme.get("/acme/jobs/w1").text
    assert 'class="company"' not in page
    assert "company.css" not in page


@pytest.mark.parametrize(("member", "words"), [("benefits", 'benefits = ["Lunch"]'), ("people", "")])
def test_one_fact_is_sufficient_for_the_section(acme: Careers, member: str, words: str):
    more = '\n[[site.people]]\nname = "Ada Berg"\n' if member == "people" else "\n"
    path = acme.portal.folder / "tenants" / "acme.toml"
    path.write_text(path.read_text().replace('about = "We build robots."', words) + more)
    acme.publish(vacancy("w1", "Welder"))
    shown = company(acme.get("/acme/jobs/w1").text)
    assert ("Lunch" in shown, "Ada Berg" in shown) == (member == "benefits", member == "people")
    assert "blockquote" not in shown
    assert "company-more" not in shown


def test_in_a_frame_the_section_is_left_out(acme: Careers):
    tell(acme, MORE)
    acme.publish(vacancy("w1", "Welder"), vacancy("w2", "Senior welder"))
    page = acme.get("/acme/embed/jobs/w1").text
    assert 'class="company"' not in page
    assert "data-share" not in page
    assert 'href="/acme/embed/jobs/w2"' in page


def test_similar_jobs_are_cards_without_the_job_itself(acme: Careers):
    others = [vacancy(f"o{n}", f"Welder {n}", city="Hamburg") for n in range(6)]
    acme.publish(vacancy("w1", "Welder"), vacancy("c1", "Cook", city="Rome"), *others)
    similar = acme.get("/acme/jobs/w1").text.partition("Similar open jobs")[2]
    assert len(re.findall(r'<li class="card">', similar)) == 4
    assert 'href="/acme/jobs/w1"' not in similar
    assert "Cook" not in similar


def test_a_job_without_similar_ones_shows_none(acme: Careers):
    acme.publish(vacancy("w1", "Welder"), vacancy("c1", "Cook", city="Rome"))
    page = acme.get("/acme/jobs/w1").text
    assert "Similar open jobs" not in page
    assert "/acme/alerts" in page


def test_a_similar_job_that_closes_disappears_from_the_page(acme: Careers):
    acme.publish(vacancy("w1", "Welder"), vacancy("w2", "Senior welder"))
    assert "Senior welder" in acme.get("/acme/jobs/w1").text
    acme.publish(vacancy("w2", "Senior welder", stage="Filled"))
    assert "Senior welder" not in acme.get("/acme/jobs/w1").text


def test_the_shared_address_has_the_language_of_the_page(acme: Careers):
    acme.publish(vacancy("w1", "Welder"))
    page = acme.get("/acme/jobs/w1?lang=de").text
    assert 'data-share="http://127.0.0.1:8000/acme/jobs/w1?lang=de"' in page
