"""A job's description is Markdown: unsupported markup becomes text, in the preview and in the interface."""

import re

from portal.tracker.hiring.job_text import html_of, markdown_of
from tests.tracker.hiring.job_writing import (
    TEXT,
    draft,
    form_address,
    hidden,
    pressed,
    published,
    record,
    recruiter,
    saved,
)
from tests.tracker.hiring.site import HiringSite
from tests.tracker.office import vacancy_body

HOSTILE = [
    "[x](javascript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "<script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    "![x](https://tracker.example/pixel.png)",
    '<a href="https://x.example" onclick="alert(1)">x</a>',
    "<svg/onload=alert(1)>",
    "</textarea><script>alert(1)</script>",
]


RUNS = re.compile(r"<(?:script|img|svg|iframe)\b|<[a-z]+ [^>]*(?:\son\w+=|(?:javascript|data):)")


def test_malicious_markup_becomes_text(hiring: HiringSite):
    browser = recruiter(hiring)
    for text in HOSTILE:
        job_id = published(browser, description=text)
        shown = record(hiring, job_id)["description"]["description"]
        browser.get(f"/jobs/{job_id}/preview")
        preview = browser.page.partition("<main")[2]
        browser.get(f"/jobs/{job_id}")
        for page in (shown, preview, browser.page.partition("<main")[2]):
            assert page
            assert not RUNS.search(page), text


def test_other_fields_of_a_job_are_safe_too(hiring: HiringSite):
    browser = recruiter(hiring)
    browser.get("/jobs/new")
    address, version = f"/acme/hiring{form_address(browser.page)}", hidden(browser.page, "version")
    for text in (*HOSTILE, TEXT):
        typed = {"token": browser.token, "version": version, "title": "Welder", "description": text}
        found = browser.client.post(address, data=typed, headers={"Accept": "application/json"}).json()
        version = found["version"]
        assert found["described"], text
        assert not RUNS.search(found["described"]), text
    assert "<h2>Tasks</h2>" in found["described"]
    assert found["described"] in browser.get(address.removeprefix("/acme/hiring")).text


def test_nesting_is_limited(hiring: HiringSite):
    browser = recruiter(hiring)
    for unit in (">", "- ", "*a", "!["):
        address = draft(browser, description=unit * (19_999 // len(unit)))
        assert browser.get(f"{address}/preview").status_code == 200
        assert len(browser.page) < 400_000


def test_simple_html_survives_conversion_to_markdown():
    page = (
        "<h3>Tasks</h3>\n<p>You <strong>weld</strong> * and_so #1<br>\n2. <em>well</em></p>\n<ul>\n<li>one\n<ul>\n"
        "<li>deep</li>\n</ul>\n</li>\n</ul>\n<ol>\n<li>first</li>\n</ol>\n<p># no &lt;b&gt; &amp;amp;</p>"
    )
    assert html_of(markdown_of(page)) == page


def test_an_unedited_loaded_description_is_unchanged(hiring: HiringSite):
    table = "<table><tr><td>a</td></tr></table><p style='color:red'>Kept</p>"
    street = {"city": "Leipzig", "country": "DE", "street1": "Ring 1"}
    job_id = hiring.office.recruiter.post(
        "/vacancies",
        params={"companyId": hiring.office.company},
        json=vacancy_body(description=table, location=street),
    ).json()["id"]
    browser = recruiter(hiring)
    browser.get(f"/jobs/{job_id}")
    assert "Kept" in browser.page
    description = browser.page.partition("<textarea")[2].partition(">\n")[2].partition("</textarea>")[0]
    saved(browser, title="Renamed", description=description, place="Leipzig, Deutschland")
    browser.get(f"/jobs/{job_id}/preview")
    pressed(browser, "publish")
    now = record(hiring, job_id)
    assert (now["name"]["name"], now["description"]["description"]) == ("Renamed", table)
    assert now["location"]["location"]["street1"] == "Ring 1"
