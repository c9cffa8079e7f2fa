"""`portal check` says which open jobs have no JobPosting, why, and names some of them."""

from portal.site.feeds.omissions import summary
from tests.site.browse.jobs import vacancy
from tests.site.feeds.scene import found_site

OFFER = {"currency": "EUR", "min": 50000, "max": 60000}


def line(careers):
    parts = careers.portal.parts
    return summary(parts.database, parts.tenants.require("acme"), parts.clock.now())


def test_nothing_is_reported_if_every_job_has_the_required_facts(careers):
    careers.publish(vacancy("w1", "Welder"), vacancy("w2", "Cook", salary=OFFER))
    assert line(careers) == "every open job (2) has its JobPosting"


def test_missing_facts_are_counted_and_up_to_three_jobs_named(careers):
    careers.publish(
        *[vacancy(f"n{n}", "No country", country=None) for n in range(3)],
        *[vacancy(f"d{n}", "No description", "") for n in range(4)],
        vacancy("w1", "Welder"),
        vacancy("both", "Neither", "", country="Atlantis"),
        vacancy("closed", "Draft", "", stage="Draft"),
    )
    told = line(careers)
    assert told.startswith("8 of 9 open jobs have no JobPosting, so job searches do not list them: ")
    country, description = sorted(told.split(": ", 1)[1].split("; "))
    assert country.startswith("a country that is known is missing in 4 (")
    assert country.endswith(" and 1 more)")
    assert description.startswith("a description is missing in 5 (")
    assert description.endswith(" and 2 more)")


def test_exactly_three_jobs_are_named_without_a_remainder(careers):
    careers.publish(*[vacancy(f"n{n}", "No date", created=None) for n in range(3)])
    assert line(careers).endswith("a date (createdAt or startAt) is missing in 3 (n2, n1, n0)")


def test_salaries_without_a_period_are_reported(tmp_path):
    careers = found_site(tmp_path, publish="")
    careers.publish(vacancy("w1", "Welder", salary=OFFER), vacancy("w2", "Cook"))
    assert line(careers).endswith("[publish] salary_unit is not set: the salary of 1 is not told to them")
