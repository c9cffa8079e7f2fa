"""A recruiter at a job's form: posts the hidden fields of the page with the entered values."""

import re
from html import unescape
from typing import Any

import httpx

from tests.tracker.hiring.site import RECRUITER, HiringBrowser, HiringSite

TEXT = "## Tasks\n\nYou **weld** [ships](https://ships.example).\n\n- one\n- two"
WHOLE = {
    "title": "Welder",
    "description": TEXT,
    "place": "Leipzig, Germany",
    "employment": "fullTime",
    "workplace": "onsite",
    "salary_min": "30.000",
    "salary_max": "40,000",
    "currency": "eur",
    "starts": "2026-12-01",
    "ends": "2027-01-31",
}


def hidden(page: str, name: str) -> str:
    return unescape(re.findall(rf'name="{name}" value="([^"]*)"', page)[-1])


def form_address(page: str) -> str:
    """Return the path of the page's job, after /hiring."""
    found = re.search(r'action="/[a-z]+/hiring(/jobs/[^"/]+)', page)
    assert found
    return unescape(found[1])


def saved(browser: HiringBrowser, **fields: str) -> httpx.Response:
    """Press Save on the form that is shown."""
    return browser.post(form_address(browser.page), version=hidden(browser.page, "version"), **fields)


def pressed(browser: HiringBrowser, button: str, **fields: str) -> httpx.Response:
    """Press a button of the preview that is shown."""
    address, version = form_address(browser.page), hidden(browser.page, "version")
    return browser.post(f"{address}/{button}", version=version, **fields)


def draft(browser: HiringBrowser, **fields: str) -> str:
    """Write a new job and save it; return its address."""
    browser.get("/jobs/new")
    response = saved(browser, **(WHOLE | fields))
    assert response.status_code == 200, browser.words
    return form_address(browser.page)


def published(browser: HiringBrowser, **fields: str) -> str:
    """Write and publish a job; return its id."""
    address = draft(browser, **fields)
    browser.get(f"{address}/preview")
    assert pressed(browser, "publish").status_code == 200, browser.words
    return address.removeprefix("/jobs/")


def record(hiring: HiringSite, job_id: str) -> Any:
    """Return the job as the documented interface shows it (§4.3)."""
    response = hiring.office.recruiter.get(f"/vacancies/{job_id}")
    return response.json() if response.status_code == 200 else None


def recruiter(hiring: HiringSite) -> HiringBrowser:
    return hiring.signed_in(RECRUITER)
