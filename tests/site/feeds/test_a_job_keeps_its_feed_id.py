"""A job's id in feeds is stable over changes, new hosts and a rebuilt job index."""

import pytest

from portal.site.feeds import facts
from tests.site.feeds.company import LONG, Company, vacancy

URN, NUMBER = "f936fc3f-fd7c-54fd-b87b-5c3c86329dfd", 4788568715050400


def names(company: Company) -> set[str]:
    found = {item["id"] for item in company.json("/acme/feed.json")["items"]}
    found |= {str(job["id"]) for job in company.json("/v1/boards/acme/jobs")["jobs"]}
    return found | {job.findtext("referencenumber") or "" for job in company.xml("/acme/indeed.xml").iter("job")}


def test_a_change_and_a_new_host_keep_the_id(sqlite_acme: Company):
    sqlite_acme.publish(vacancy("one", "One", LONG))
    before = names(sqlite_acme)
    sqlite_acme.publish(vacancy("one", "Another title", LONG, city="Paris"))
    sqlite_acme.file(more='hosts = ["jobs.acme.example"]\n')
    assert names(sqlite_acme) == before


def test_these_ids_must_never_change():
    assert facts.urn("acme", "one") == "urn:uuid:" + URN
    assert facts.numeric_id("acme", "one") == NUMBER
    assert facts.numeric_id("globex", "one") != NUMBER


@pytest.mark.parametrize("said", ["1", "4711", "9" * 15])
def test_a_decimal_id_is_its_own_number(said: str):
    assert facts.numeric_id("acme", said) == int(said) < 2**52


@pytest.mark.parametrize("said", ["0", "007", "1" + "0" * 15, "-1", "1a", "a"])
def test_any_other_id_is_above_all_decimal_ones(said: str):
    assert 2**52 <= facts.numeric_id("acme", said) < 2**53


def test_the_time_of_a_feed_never_goes_back(sqlite_acme: Company):
    sqlite_acme.publish(vacancy("one", "One", LONG), vacancy("two", "Two", LONG))
    atom = "{http://www.w3.org/2005/Atom}updated"
    before = sqlite_acme.xml("/acme/feed.atom").findtext(atom) or ""
    sqlite_acme.publish(vacancy("two", "Two", LONG, stage="Filled"))
    assert (sqlite_acme.xml("/acme/feed.atom").findtext(atom) or "") > before
