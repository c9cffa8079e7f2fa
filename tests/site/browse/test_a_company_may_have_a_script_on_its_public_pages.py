"""A company may have one script on its list and job pages, but not on forms or other companies' pages."""

import re

import pytest

from tests.site.browse.jobs import FILE, Careers, vacancy

SCRIPT = "https://stats.example:8443/script.js?site=acme&v=2"
TAG = '<script src="https://stats.example:8443/script.js?site=acme&amp;v=2" async></script>'
ORIGIN = "https://stats.example:8443"
FILLED = FILE.format(salary="false", client="false")


@pytest.fixture
def counted(acme: Careers) -> Careers:
    acme.portal.write_tenant("acme", "Acme", FILLED.replace("[site]\n", f'[site]\nanalytics = "{SCRIPT}"\n'))
    acme.portal.add_tenant("globex", "Globex", FILLED.replace("careers.acme", "careers.globex"))
    acme.publish(vacancy("j1", "Welder"), vacancy("j2", "Turner", stage="Closed"))
    return acme


def policy(answer) -> dict[str, str]:
    parts = answer.headers["Content-Security-Policy"].split("; ")
    return {name: rest for name, _, rest in (part.partition(" ") for part in parts)}


@pytest.mark.parametrize(
    ("path", "status"), [("/acme/", 200), ("/acme/?q=welder", 200), ("/acme/jobs/j1", 200), ("/acme/jobs/none", 404)]
)
def test_public_pages_have_the_script(counted: Careers, path: str, status: int):
    for _ in range(2):  # when it is rendered, and when it is cached
        answer = counted.get(path)
        assert answer.status_code == status
        assert answer.text.count(TAG) == 1
        said = policy(answer)
        for name in ("script-src", "connect-src", "img-src"):
            assert said.pop(name) == f"'self' {ORIGIN}"
        assert ORIGIN not in str(said)
        assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize(
    "path",
    [
        "/acme/jobs/j1/apply",
        "/acme/applications/ABCD",
        "/acme/profile",
        "/acme/alerts",
        "/acme/embed",
        "/acme/embed/jobs/j1",
        "/acme/embed/refused",
        "/acme/feed.atom",
        "/acme/jobs.json",
        "/acme/theme.css",
        "/acme/no/such/page",
        "/globex/",
        "/globex/jobs/none",
        "/",
    ],
)
def test_no_other_page_has_or_allows_the_script(counted: Careers, path: str):
    counted.get("/acme/")
    answer = counted.get(path)
    assert answer.status_code in {200, 302, 403, 404}
    assert "stats.example" not in answer.text
    assert "stats.example" not in str(answer.headers)


def test_without_the_setting_there_is_no_script(acme: Careers):
    acme.publish(vacancy("j1", "Welder"))
    answer = acme.get("/acme/")
    assert answer.status_code == 200
    assert policy(answer)["script-src"] == "'self'"
    assert not re.search(r'<script[^>]+src="https?:', answer.text)


def test_a_change_of_the_tenant_file_adds_and_removes_the_script(counted: Careers):
    assert TAG in counted.get("/acme/").text
    counted.portal.write_tenant("acme", "Acme", FILLED)
    counted.clock.pass_time(2)
    answer = counted.get("/acme/")
    assert TAG not in answer.text
    assert "stats.example" not in str(answer.headers)
