"""[publish.facets]: a filter of the company's own has a name in addresses, a label by language, chips and counts."""

import re

import pytest

from tests.site.browse.jobs import Careers, vacancy


@pytest.fixture
def jobs(acme: Careers) -> Careers:
    acme.publish(
        vacancy("a", "Seller", department="Sales", client="Globex"),
        vacancy("b", "Fixer", department="Service", client="Initech", city="München"),
        vacancy("c", "Fitter", department=["Service", "Sales"], client="Initech", city="Munich"),
        vacancy("d", "Nomad", city="Anywhere in the European Union"),
    )
    return acme


def labelled(page: str) -> list[tuple[str, str]]:
    """Legend or value, and label or count, of every box, in order."""
    found = re.findall(r"<legend>(.*?)</legend>|<label [^>]*>(.*?)</label>\s*<span[^>]*>(\d+)<", page)
    return [(in_words(legend), "") if legend else (in_words(label), count) for legend, label, count in found]


def in_words(html: str) -> str:
    return re.sub(r"<[^>]*>", "", html)


def test_the_companys_filter_is_first_with_correct_counts(jobs: Careers):
    boxes = labelled(jobs.get("/acme/").text)
    assert boxes[:6] == [
        ("Client", ""), ("Initech", "2"), ("Globex", "1"), ("Department", ""), ("Sales", "2"), ("Service", "2")
    ]  # fmt: skip


def test_the_filter_is_labelled_in_the_language_of_the_page(jobs: Careers):
    assert ("Abteilung", "") in labelled(jobs.get("/acme/?lang=de").text)


def test_the_filter_narrows_the_list_and_can_be_removed(jobs: Careers):
    page = jobs.get("/acme/?facet-department=service&facet-client=Initech").text
    assert all(title in page for title in ("Fixer", "Fitter"))
    assert "Seller" not in page
    assert 'href="/acme/?facet-client=Initech#results"' in page
    assert 'href="/acme/?facet-department=Service#results"' in page


def test_a_job_shows_the_value_among_its_facts_in_the_language_of_the_page(jobs: Careers):
    page = jobs.get("/acme/jobs/c").text
    assert "<dt>Department</dt><dd><bdi>Sales, Service</bdi></dd>" in page
    assert page.count("Initech") == jobs.get("/acme/jobs/b").text.count("Initech")
    assert "<dt>Client</dt>" not in page
    assert "<dt>Abteilung</dt>" in jobs.get("/acme/jobs/c?lang=de").text
    assert "<dt>Department</dt>" not in jobs.get("/acme/jobs/d").text


def test_a_city_is_one_choice_in_the_language_of_the_page(jobs: Careers):
    assert ("München", "2") in labelled(jobs.get("/acme/?lang=de").text)
    assert ("Munich", "2") in labelled(jobs.get("/acme/").text)
    chip = jobs.get("/acme/?lang=de&city=Munich").text
    assert re.search(r"Filter entfernen:</span> <span>München<", chip)


def test_the_area_of_a_remote_job_is_shown_on_its_card_and_is_no_city(jobs: Careers):
    page = jobs.get("/acme/").text
    assert '<li><bdi class="place">Anywhere in the European Union</bdi></li>' in page
    assert not any("European" in label for label, _ in labelled(page))


def test_pages_of_a_list_show_their_position(acme: Careers):
    acme.publish(*(vacancy(f"v{n}", f"Welder {n}") for n in range(28)))
    page = acme.get("/acme/").text
    assert "1 to 20 of 28" in page
    following = page.split('rel="next" href="')[1].split('"')[0].replace("&amp;", "&")
    assert "21 to 28 of 28" in acme.get(following).text
    acme.publish(vacancy("w", "Other"))


def test_a_list_on_one_page_shows_no_position(jobs: Careers):
    assert "results-range" not in jobs.get("/acme/").text
