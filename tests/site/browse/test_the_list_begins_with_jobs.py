"""The first page has a large header about the company; a search is one line above its results."""

import re

from tests.site.browse.jobs import Careers, vacancy

MORE = """
[[site.why]]
title = "Time"
text = "Four days a week."
[[site.why]]
title = "Room"
text = "A bench each."
[site.quote]
text = "I stay."
by = "Ada, welder"
[site.text.de]
why = [{title = "Zeit", text = "Vier Tage in der Woche."}]
quote = {text = "Ich bleibe."}
"""


def test_only_the_unfiltered_first_page_has_the_large_header(acme: Careers) -> None:
    acme.publish(vacancy("w1", "Welder"))
    assert 'class="hero"' in acme.get("/acme/").text
    for search in ("?q=welder", "?q=nothing-like-it", "?city=Berlin", "?sort=date&q=w"):
        page = acme.get(f"/acme/{search}").text
        assert 'class="hero"' not in page
        assert "We build robots." not in page
        assert page.index('id="search"') < page.index('id="results"')
        assert len(re.findall("<h1", page)) == 1


def test_a_card_shows_the_date_to_machines_and_without_scripts(acme: Careers) -> None:
    acme.publish(vacancy("w1", "Welder", created="2026-05-04T08:00:00Z"))
    assert '<time datetime="2026-05-04" data-ago>4 May 2026</time>' in acme.get("/acme/").text


def test_a_salary_has_its_period(acme: Careers) -> None:
    path = acme.portal.folder / "tenants" / "acme.toml"
    path.write_text(path.read_text().replace("[publish]", '[publish]\nsalary_unit = "HOUR"'))
    acme.publish(vacancy("w1", "Welder", salary={"currency": "EUR", "min": 30, "max": 40}))
    assert '<span class="card-pay">€30 – €40 an hour</span>' in acme.get("/acme/").text


def test_the_company_is_described_below_the_jobs_in_the_visitors_language(acme: Careers) -> None:
    path = acme.portal.folder / "tenants" / "acme.toml"
    path.write_text(path.read_text() + MORE)
    acme.publish(vacancy("w1", "Welder"))
    page = acme.get("/acme/").text
    said = ("We build robots.", "Time", "Four days a week.", "A bench each.", "I stay.", "Ada, welder")
    assert all(words in page for words in said)
    assert page.index("Welder") < page.index("Four days a week.")
    german = acme.get("/acme/?lang=de").text
    assert "Vier Tage in der Woche." in german
    assert "Ich bleibe." in german
    assert "A bench each." not in german
    assert "Four days a week." not in acme.get("/acme/?q=welder").text
    assert "Four days a week." not in acme.get("/acme/embed").text


def test_a_company_without_a_picture_gets_a_generated_one(acme: Careers) -> None:
    acme.publish(vacancy("w1", "Welder"))
    acme.portal.add_tenant("other", "Other")
    acme.clock.pass_time(1)

    def drawing(slug: str) -> str:
        found = re.search(r'<svg class="motif".*?</svg>', acme.get(f"/{slug}/").text, re.DOTALL)
        assert found
        return found[0]

    assert drawing("acme") == drawing("acme")
    assert drawing("acme") != drawing("other")
    assert 'aria-hidden="true"' in drawing("acme")
    assert "motif" not in acme.get("/acme/embed").text
