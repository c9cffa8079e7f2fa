"""Structured data has the company's logo, website and social pages."""

from tests.site.browse.jobs import vacancy
from tests.site.feeds.markup import Page
from tests.site.feeds.scene import found_site

LOGO = "https://www.acme.example/logo.svg"
SAME = ["https://www.acme.example", "https://www.linkedin.com/company/acme"]
SITE = f"""logo = "{LOGO}"
links = [["Company", "{SAME[0]}"], ["Benefits", "https://www.acme.example/benefits"], ["LinkedIn", "{SAME[1]}"]]"""


def test_logo_and_website_are_on_job_and_list(tmp_path):
    careers = found_site(tmp_path, site=SITE)
    careers.publish(vacancy("w1", "Welder"))
    employer = Page(careers.get("/acme/jobs/w1").text).job["hiringOrganization"]
    assert (employer["logo"], employer["sameAs"]) == (LOGO, SAME)
    assert Page(careers.get("/acme/").text).block("Organization")["sameAs"] == SAME


def test_a_client_has_neither_logo_nor_website(tmp_path):
    careers = found_site(tmp_path, site=SITE)
    careers.publish(vacancy("w1", "Welder", client="Lindenquell"))
    employer = Page(careers.get("/acme/jobs/w1").text).job["hiringOrganization"]
    assert employer == {"@type": "Organization", "name": "Lindenquell"}


def test_a_job_in_the_whole_eu_lists_its_countries(careers):
    careers.publish(vacancy("w1", "Welder", way="remote", city="Anywhere in the European Union", country=None))
    job = Page(careers.get("/acme/jobs/w1").text).job
    countries = [one["name"] for one in job["applicantLocationRequirements"]]
    assert len(countries) == 27
    assert countries[:3] == ["Austria", "Belgium", "Bulgaria"]
    assert job["jobLocationType"] == "TELECOMMUTE"
