"""A job page has a schema.org JobPosting with everything that Google requires, or none."""

import json

import pytest

from tests.site.browse.jobs import vacancy
from tests.site.feeds.markup import Page, values
from tests.site.feeds.scene import found_site

OFFER = {"currency": "EUR", "min": 50000, "max": 62500.5}


def page(careers, posting_id="w1", query=""):
    answer = careers.get(f"/acme/jobs/{posting_id}{query}")
    assert answer.status_code == 200
    return Page(answer.text)


def full(**more):
    return vacancy("w1", "Welder", "<p>Weld <b>steel</b> & more.</p>", end="2026-12-31T22:00:00Z", salary=OFFER, **more)


def test_a_complete_job_has_all_properties(careers):
    careers.publish(full())
    assert page(careers).job == {
        "@context": "https://schema.org",
        "@type": "JobPosting",
        "title": "Welder",
        "description": "<p>Weld <b>steel</b> &amp; more.</p>",
        "datePosted": "2026-05-04",
        "hiringOrganization": {
            "@type": "Organization", "name": "Acme Robotics", "url": f"{careers.portal.parts.settings.base_url}/acme/",
        },
        "jobLocation": {
            "@type": "Place",
            "address": {"@type": "PostalAddress", "addressLocality": "Berlin", "addressCountry": "DE"},
        },
        "identifier": {"@type": "PropertyValue", "name": "Acme Robotics", "value": "w1"},
        "validThrough": "2026-12-31T22:00:00+00:00",
        "employmentType": "FULL_TIME",
        "baseSalary": {
            "@type": "MonetaryAmount",
            "currency": "EUR",
            "value": {"@type": "QuantitativeValue", "minValue": 50000, "maxValue": 62500.5, "unitText": "YEAR"},
        },
        "directApply": True,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "said"),
    [("fullTime", "FULL_TIME"), ("partTime", "PART_TIME"), ("temporary", "TEMPORARY"), ("internship", "INTERN"),
     (None, None)],
)  # fmt: skip
def test_each_job_type_has_googles_name(careers, kind, said):
    careers.publish(full(type=kind))
    assert page(careers).job.get("employmentType") == said


def test_a_remote_job_names_the_permitted_locations(careers):
    careers.publish(full(way="remote"))
    job = page(careers).job
    assert (job["jobLocationType"], job["applicantLocationRequirements"]["name"]) == ("TELECOMMUTE", "Germany")
    assert "jobLocation" not in job
    assert "Open to candidates in Germany" in page(careers).seen


@pytest.mark.parametrize("way", ["hybrid", "onsite", None])
def test_no_other_job_is_marked_as_remote(careers, way):
    careers.publish(full(way=way))
    assert "jobLocationType" not in page(careers).job
    assert page(careers).job["jobLocation"]


@pytest.mark.parametrize("way", ["remote", "onsite"])
@pytest.mark.parametrize("country", [None, "Atlantis"])
def test_without_a_country_there_is_no_structured_data(careers, way, country):
    careers.publish(full(way=way, country=country))
    assert page(careers).block("JobPosting") is None


def test_without_a_description_there_is_no_structured_data(careers):
    careers.publish(vacancy("w1", "Welder", "<p> </p>"), vacancy("w2", "Cook", "<table><tr><td> </td></tr></table>"))
    assert page(careers).block("JobPosting") is None
    assert page(careers, "w2").block("JobPosting") is None


def test_without_a_date_there_is_no_structured_data(careers):
    careers.publish(
        vacancy("w1", "Welder", created=None), vacancy("w2", "Cook", created=None, start="2026-05-05T00:00:00Z")
    )
    assert page(careers).block("JobPosting") is None
    assert page(careers, "w2").job["datePosted"] == "2026-05-05"


def test_a_job_without_an_end_has_no_end_date(careers):
    careers.publish(vacancy("w1", "Welder"))
    assert "validThrough" not in page(careers).job


@pytest.mark.parametrize(
    ("offer", "value"),
    [
        ({"currency": "EUR", "min": 50000, "max": 50000}, {"value": 50000}),
        ({"currency": "EUR", "min": None, "max": 60000}, {"value": 60000}),
        ({"currency": "EUR", "min": 50000, "max": None}, {"value": 50000}),
        ({"currency": "eur", "min": 1, "max": 2}, {"minValue": 1, "maxValue": 2}),
        ({"currency": "Euro", "min": 1, "max": 2}, None),
        ({"currency": None, "min": 1, "max": 2}, None),
        ({"currency": "EUR", "min": 0, "max": 2}, None),
        ({"currency": "EUR", "min": 3, "max": 2}, None),
        (None, None),
    ],
)
def test_a_salary_is_numbers_in_a_currency_or_left_out(careers, offer, value):
    careers.publish(vacancy("w1", "Welder", salary=offer))
    salary = page(careers).job.get("baseSalary")
    if value is None:
        assert salary is None
    else:
        assert salary["value"] == {"@type": "QuantitativeValue", **value, "unitText": "YEAR"}


def test_a_salary_without_a_configured_period_is_left_out(tmp_path):
    careers = found_site(tmp_path, publish="")
    careers.publish(full())
    assert "baseSalary" not in page(careers).job
    assert "€50,000" in page(careers).seen
    assert "a year" not in page(careers).seen


def test_a_client_that_is_shown_is_the_employer(careers):
    careers.publish(full(client="Lindenquell"))
    assert page(careers).job["hiringOrganization"] == {"@type": "Organization", "name": "Lindenquell"}


@pytest.mark.parametrize(
    "evil", ["</script><script>alert(1)</script>", "<!--<script>", "]]>", "\u2028\u2029", "&lt;/script&gt;"]
)
def test_text_of_a_recruiter_cannot_end_the_script(careers, evil):
    careers.publish(vacancy("w1", f"Welder {evil}", f"<p>Weld {evil.replace('<', '&lt;')}</p>"))
    text = careers.get("/acme/jobs/w1").text
    inside = text.split('<script type="application/ld+json">')[1].split("</script>")[0]
    assert not set(inside) & set("<>&\u2028\u2029")
    assert json.loads(inside)["title"] in Page(text).seen
    assert len(Page(text).blocks) == 2


def test_the_breadcrumbs_are_included(careers):
    careers.publish(full())
    base = careers.portal.parts.settings.base_url
    items = page(careers).block("BreadcrumbList")["itemListElement"]
    assert [(one["position"], one["name"], one["item"]) for one in items] == [
        (1, "All open jobs", f"{base}/acme/"),
        (2, "Welder", f"{base}/acme/jobs/w1"),
    ]


def test_the_list_names_the_company_of_the_site(careers):
    careers.publish(full())
    front = Page(careers.get("/acme/").text)
    assert front.block("Organization")["name"] == front.block("WebSite")["name"] == "Acme Robotics"
    assert Page(careers.get("/acme/?city=Berlin").text).blocks == []


def test_a_closed_job_has_no_structured_data_in_the_same_second(careers):
    careers.publish(vacancy("w1", "Welder", end="2026-06-02T14:00:00Z"), vacancy("w2", "Cook"))
    now = careers.clock.now()
    end = now.replace(month=6, day=2, hour=14, minute=0, second=0, microsecond=0)
    careers.clock.pass_time((end - now).total_seconds() - 0.001)
    assert page(careers).job
    careers.clock.pass_time(0.001)
    answer = careers.get("/acme/jobs/w1")
    assert answer.status_code == 410
    assert "ld+json" not in answer.text


def test_every_value_of_the_markup_is_visible_on_the_page(careers):
    """In words: a country has its name, a date is written out, a job type is called as in the list."""
    careers.publish(
        full(client="Lindenquell"), vacancy("r1", "Remote welder", way="remote", salary={**OFFER, "max": None})
    )
    words = {
        "DE": "Germany", "FULL_TIME": "Full-time", "TELECOMMUTE": "Remote", "2026-05-04": "4 May 2026",
        "2026-12-31T22:00:00+00:00": "31 December 2026", "YEAR": "a year", "EUR": "€", 50000: "50,000",
        62500.5: "62,500.50", True: "Apply for this job",
    }  # fmt: skip
    for posting_id in ("w1", "r1"):
        shown = page(careers, posting_id)
        for block in shown.blocks:
            for path, value in values(block):
                if path.endswith(("url", "item", "position")):
                    continue
                said = Page(f"<!DOCTYPE html><title>x</title>{value}").seen if path == "description" else value
                assert str(words.get(said, said)) in shown.seen, (path, value)


def test_a_street_is_visible_on_the_page_too(careers):
    line = json.loads(full())
    line["record"]["location"]["location"] |= {"street1": "Hauptstr. 5", "postalCode": "10115", "region": "Brandenburg"}
    careers.publish(json.dumps(line))
    address = page(careers).job["jobLocation"]["address"]
    assert (address["streetAddress"], address["postalCode"], address["addressRegion"]) == (
        "Hauptstr. 5", "10115", "Brandenburg",
    )  # fmt: skip
    assert "Berlin, Brandenburg, Germany Hauptstr. 5, 10115" in page(careers).seen
