"""A job's form enforces its limits, shows errors beside the field, and keeps entered values."""

import re

from portal.tracker.hiring.job_form import PLACE_MOST, TEXT_MOST, TITLE_MOST
from tests.tracker.hiring.job_writing import WHOLE, form_address, recruiter, saved
from tests.tracker.hiring.site import HiringSite

ALLOWED = [
    {"title": "x" * TITLE_MOST},
    {"description": "x" * TEXT_MOST},
    {"place": "x" * PLACE_MOST},
    {"salary_min": "0", "salary_max": "999 999 999"},
    {"salary_min": "18,50", "salary_max": "1'000"},
    {"starts": "2027-01-31"},
    {"starts": "2000-01-01", "ends": "2099-12-31"},
    {"salary_min": "", "salary_max": "", "currency": ""},
]
REFUSED = [
    ("title", {"title": "x" * (TITLE_MOST + 1)}),
    ("title", {"title": "a\u202eb"}),
    ("description", {"description": "x" * (TEXT_MOST + 1)}),
    ("description", {"description": "a\x01b"}),
    ("place", {"place": "x" * (PLACE_MOST + 1)}),
    ("employment", {"employment": "slavery"}),
    ("workplace", {"workplace": "moon"}),
    ("salary_max", {"salary_max": "1000000000"}),
    ("salary_max", {"salary_min": "50000", "salary_max": "40000"}),
    ("salary_min", {"salary_min": "-1"}),
    ("salary_min", {"salary_min": "much"}),
    ("currency", {"currency": "XQX"}),
    ("currency", {"currency": ""}),
    ("starts", {"starts": "2027-02-30"}),
    ("ends", {"ends": "1999-12-31"}),
    ("ends", {"ends": "2100-01-01"}),
    ("ends", {"starts": "2027-02-01", "ends": "2027-01-31"}),
]


def test_values_at_the_limit_are_accepted(hiring: HiringSite):
    browser = recruiter(hiring)
    for fields in ALLOWED:
        browser.get("/jobs/new")
        assert saved(browser, **(WHOLE | fields)).status_code == 200, fields


def test_values_over_the_limit_are_rejected(hiring: HiringSite):
    browser = recruiter(hiring)
    for name, fields in REFUSED:
        browser.get("/jobs/new")
        address = form_address(browser.page)
        assert saved(browser, **(WHOLE | fields)).status_code == 422, fields
        assert re.findall(r'class="field-error" id="(\w+)-error"', browser.page) == [name], fields
        field = "near" if name == "place" else name
        assert re.findall(r'<li><a href="#(\w+)">', browser.page) == [field], "the summary at the top links to it"
        assert f'id="{field}"' in browser.page
        assert "You **weld**" in browser.page or name == "description"
        assert browser.get(address).status_code == 404
    browser.get("/jobs")
    assert "No jobs yet" in browser.words


def test_a_rejected_form_can_be_corrected(hiring: HiringSite):
    browser = recruiter(hiring)
    browser.get("/jobs/new")
    saved(browser, **(WHOLE | {"currency": "EURO"}))
    assert saved(browser, **WHOLE).status_code == 200
