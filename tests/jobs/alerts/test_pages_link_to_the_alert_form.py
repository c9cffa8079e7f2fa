"""The list, an empty list, a job and the receipt link to the alert form with the current search."""

from tests.jobs.alerts.scene import Scene, link
from tests.site.account.candidate import text
from tests.site.apply.applicant import Applicant, Page


def ways(page: Page) -> list[str]:
    return [one.attrib["href"] for box in page.by_class("alert-invite") for one in box.iter("a")]


def test_the_link_contains_the_search_of_the_list(acme: Scene):
    assert ways(acme.open("/acme/")) == ["/acme/alerts"]
    assert ways(acme.open("/acme/?q=baker&city=Bonn&sort=date")) == ["/acme/alerts?q=baker&city=Bonn"]
    assert ways(acme.open("/acme/?q=astronaut&lang=de")) == ["/acme/alerts?q=astronaut&lang=de"]
    assert ways(acme.open("/acme/?near=Xyzzyville")) == []  # this search can never have a result


def test_the_link_of_a_job_is_about_its_city_and_the_receipt_has_one(acme: Scene):
    assert ways(acme.open("/acme/jobs/job-2")) == ["/acme/alerts?city=Bonn"]
    with acme.portal.browser() as browser:
        receipt = Applicant(browser, "/acme/jobs/job-1/apply").receipt()
    assert ways(acme.open(receipt)) == ["/acme/alerts"]


def test_the_form_shows_the_search_in_words_and_keeps_the_language(acme: Scene):
    page = acme.open("/acme/alerts?q=bakr&city=Bonn&employmentType=unknown")
    assert "“baker” · Bonn" in page.text  # filters that have an effect, and no others
    assert "1 job is open now." in page.text
    acme.ask("?q=welder&lang=de")
    (asks,) = acme.work()
    assert link(asks, "/alerts/").endswith("&lang=de")


def test_another_frequency_is_preselected_on_the_page_that_the_email_links_to(acme: Scene):
    acme.ask("?q=welder", every="week")
    (asks,) = acme.work()
    chosen = [one.get("value") for one in acme.open(link(asks, "/alerts/")).all("input") if "checked" in one.attrib]
    assert chosen == ["week"]
    assert "this link and confirm" in text(asks)
