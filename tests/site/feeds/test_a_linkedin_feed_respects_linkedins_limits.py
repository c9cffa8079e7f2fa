"""A job beyond LinkedIn's limits is left out and reported, and affects no other job."""

import json

import pytest
from click.testing import CliRunner

from portal.cli import portal
from tests.builders import SECRET
from tests.site.feeds.company import LONG, Company, vacancy


def listed(company: Company) -> set[str | None]:
    return {job.findtext("title") for job in company.xml("/acme/linkedin.xml").iter("job")}


def said(company: Company) -> dict[str, str]:
    settings = company.portal.parts.settings
    environment = {
        "PORTAL_SECRET_KEY": SECRET,
        "PORTAL_DATABASE_URL": settings.database_url,
        "PORTAL_TENANTS": str(settings.tenants),
        "PORTAL_ATTACHMENTS": settings.attachments,
        "PORTAL_MAIL": settings.mail,
        "PORTAL_BASE_URL": settings.base_url,
    }
    done = CliRunner().invoke(portal, ["check", "acme", "--json"], env=environment)
    return {line["what"]: line["says"] for line in json.loads(done.stdout) if line["what"].endswith("xml acme")}


def words(length: int) -> str:
    """Return a description whose HTML has that many characters."""
    return "<p>" + ("robot " * length)[: length - 8] + "x</p>"


@pytest.mark.parametrize(("length", "is_taken"), [(99, False), (100, True), (25_000, True), (25_001, False)])
def test_a_description_has_100_to_25000_characters(sqlite_acme: Company, length: int, is_taken: bool):
    sqlite_acme.publish(vacancy("v", "V", words(length)))
    assert len(sqlite_acme.json("/v0/postings/acme")[0]["description"]) == length
    assert (listed(sqlite_acme) == {"V"}) is is_taken


@pytest.mark.parametrize(("length", "is_taken"), [(40, True), (41, False)])
def test_an_id_has_40_characters(sqlite_acme: Company, length: int, is_taken: bool):
    sqlite_acme.publish(vacancy("v" * length, "V", LONG))
    assert (listed(sqlite_acme) == {"V"}) is is_taken


@pytest.mark.parametrize(("length", "is_taken"), [(200, True), (201, False)])
def test_a_title_has_200_characters(sqlite_acme: Company, length: int, is_taken: bool):
    sqlite_acme.publish(vacancy("v", "V" * length, LONG))
    assert bool(listed(sqlite_acme)) is is_taken


def test_an_excluded_job_is_reported_by_portal_check_and_excludes_no_other(sqlite_acme: Company):
    short = [vacancy(f"short{n}", "Short", "<p>Come.</p>") for n in range(7)]
    nowhere = vacancy("nowhere", "Nowhere", LONG, city=None, country=None)
    sqlite_acme.publish(vacancy("good", "Good", LONG), *short, nowhere)
    assert listed(sqlite_acme) == {"Good"}
    lines = said(sqlite_acme)
    few = "7 of 9 jobs: a description of fewer than 100 characters, left out: short6, short5, short4, short3, short2"
    assert lines["linkedin.xml acme"] == f"{few} and 2 more; 1 of 9 jobs: no place, left out: nowhere"
    assert lines["indeed.xml acme"] == "1 of 9 jobs: no city: nowhere; 1 of 9 jobs: no country: nowhere"


def test_nothing_is_reported_if_every_job_is_included(sqlite_acme: Company):
    sqlite_acme.publish(vacancy("good", "Good", LONG))
    assert said(sqlite_acme) == {}
