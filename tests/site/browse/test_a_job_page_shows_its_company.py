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


def test_it_stands_below_the_last_way_to_apply(acme: Careers):
    tell(acme, MORE)
    acme.publish(vacancy("w1", "Welder"))
    page = acme.get("/acme/jobs/w1").text
    assert page.index('class="company"') > page.rindex('href="/acme/jobs/w1/apply"')
    shown = company(page)
    places = [shown.index(words) for words in ("We build robots.", "Lunch", "Four days a week.", "I stay.", "Ada Berg")]
    assert places == sorted(places)
    assert 'href="/acme/#about"' in shown
    assert "Welder" in shown


def test_what_is_not_said_in_a_language_is_marked(acme: Careers):
    tell(acme, MORE)
    acme.publish(vacancy("w1", "Welder"))
    shown = company(acme.get("/acme/jobs/w1?lang=de").text)
    assert "Mittagessen" in shown
    assert "A bench each" not in shown
    assert "<blockquote>Ich bleibe.</blockquote>" in shown
    assert '<span lang="en" dir="ltr">Welder</span>' in shown
    assert '<ul class="whys" lang="en" dir="ltr">' in shown


def test_a_company_that_says_nothing_has_no_such_part(acme: Careers):
    path = acme.portal.folder / "tenants" / "acme.toml"
    path.write_text(path.read_text().replace('about = "We build robots."\n', ""))
    acme.publish(vacancy("w1", "Welder"))
    page = acme.get("/acme/jobs/w1").text
    assert 'class="company"' not in page
    assert "company.css" not in page


@pytest.mark.parametrize(("member", "words"), [("benefits", 'benefits = ["Lunch"]'), ("people", "")])
def test_one_thing_that_is_said_is_enough(acme: Careers, member: str, words: str):
    more = '\n[[site.people]]\nname = "Ada Berg"\n' if member == "people" else "\n"
    path = acme.portal.folder / "tenants" / "acme.toml"
    path.write_text(path.read_text().replace('about = "We build robots."', words) + more)
    acme.publish(vacancy("w1", "Welder"))
    shown = company(acme.get("/acme/jobs/w1").text)
    assert ("Lunch" in shown, "Ada Berg" in shown) == (member == "benefits", member == "people")
    assert "blockquote" not in shown
    assert "company-more" not in shown


def test_in_a_frame_the_page_around_it_is_the_companys_own(acme: Careers):
    tell(acme, MORE)
    acme.publish(vacancy("w1", "Welder"), vacancy("w2", "Senior welder"))
    page = acme.get("/acme/embed/jobs/w1").text
    assert 'class="company"' not in page
    assert "data-share" not in page
    assert 'href="/acme/embed/jobs/w2"' in page


def test_jobs_like_it_are_cards_and_it_is_not_among_them(acme: Careers):
    others = [vacancy(f"o{n}", f"Welder {n}", city="Hamburg") for n in range(6)]
    acme.publish(vacancy("w1", "Welder"), vacancy("c1", "Cook", city="Rome"), *others)
    similar = acme.get("/acme/jobs/w1").text.partition("Similar open jobs")[2]
    assert len(re.findall(r'<li class="card">', similar)) == 4
    assert 'href="/acme/jobs/w1"' not in similar
    assert "Cook" not in similar


def test_a_job_like_no_other_names_none(acme: Careers):
    acme.publish(vacancy("w1", "Welder"), vacancy("c1", "Cook", city="Rome"))
    page = acme.get("/acme/jobs/w1").text
    assert "Similar open jobs" not in page
    assert "/acme/alerts" in page


def test_a_similar_job_that_closes_leaves_the_page(acme: Careers):
    acme.publish(vacancy("w1", "Welder"), vacancy("w2", "Senior welder"))
    assert "Senior welder" in acme.get("/acme/jobs/w1").text
    acme.publish(vacancy("w2", "Senior welder", stage="Filled"))
    assert "Senior welder" not in acme.get("/acme/jobs/w1").text


def test_the_address_that_is_shared_is_that_of_the_language_it_is_read_in(acme: Careers):
    acme.publish(vacancy("w1", "Welder"))
    page = acme.get("/acme/jobs/w1?lang=de").text
    assert 'data-share="http://127.0.0.1:8000/acme/jobs/w1?lang=de"' in page
