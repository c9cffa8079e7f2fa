"""Every address that changes something rejects posts from other sites, except for those listed here."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

from portal.app import create_console
from portal.site.routing.access import Origins, origins_of
from tests import builders
from tests.builders import Portal

LED = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site", "Origin": "https://blog.careers.example"},
]
LISTED = "https://www.acme.example"
FROM_ANYWHERE = {"/<slug>/alerts/<alert>/end"}
"""A mail provider's one click (RFC 8058)."""
FROM_LISTED_SITES = {"/<slug>/uploads", "/<slug>/vacancy-portal/jobs/<posting_id>"}
"""A front end of the company's own, by [embed] origins."""
ANSWERED_BY_ITSELF = {"/<slug>/jobs/<posting_id>/apply"}
"""403 as well, with everything that was typed."""


@pytest.fixture
def acme(tmp_path: Path) -> Iterator[Portal]:
    made = builders.portal(tmp_path / "portal")
    made.add_tenant("acme", "Acme", f'[embed]\norigins = ["{LISTED}"]\n')
    yield made
    made.parts.close()


def unsafe(app: Flask) -> list[tuple[str, str]]:
    """Return (method, route) of every method except GET, HEAD and OPTIONS."""
    safe = {"GET", "HEAD", "OPTIONS"}
    return sorted((m, rule.rule) for rule in app.url_map.iter_rules() for m in (rule.methods or set()) - safe)


def path_of(rule: str) -> str:
    words = {"<slug>": "acme", "<any(retry,release,discard):act>": "retry"}
    return "/".join(words.get(part, "x1" if part.startswith("<") else part) for part in rule.split("/"))


def test_the_exceptions_are_these(acme: Portal):
    marked: dict[Origins, set[str]] = {one: set() for one in Origins}
    for rule in acme.app.url_map.iter_rules():
        if (rule.methods or set()) - {"GET", "HEAD", "OPTIONS"}:
            marked[origins_of(acme.app.view_functions[rule.endpoint])].add(rule.rule)
    assert marked.pop(Origins.OWN)
    assert marked == {
        Origins.ANY: FROM_ANYWHERE,
        Origins.LISTED: FROM_LISTED_SITES,
        Origins.OWN_SAID_BY_VIEW: ANSWERED_BY_ITSELF,
    }


@pytest.mark.parametrize("headers", LED, ids=str)
def test_any_cross_site_request_is_rejected(acme: Portal, headers: dict[str, str]):
    routes = [one for one in unsafe(acme.app) if one[1] not in FROM_ANYWHERE | ANSWERED_BY_ITSELF]
    assert len(routes) > 10
    with acme.browser(**headers) as browser:
        taken = [(m, rule) for m, rule in routes if browser.request(m, path_of(rule)).status_code != 403]
        assert taken == []
        assert all(browser.post(path_of(rule)).status_code != 403 for rule in FROM_ANYWHERE)


def test_requests_of_own_pages_and_of_other_clients_are_accepted(acme: Portal):
    own = {"Origin": "http://127.0.0.1:8000", "Sec-Fetch-Site": "same-origin"}
    for headers in (own, {}):
        with acme.browser(**headers) as browser:
            refused = [rule for m, rule in unsafe(acme.app) if browser.request(m, path_of(rule)).status_code == 403]
            assert refused == []


def test_a_listed_site_may_only_post_data(acme: Portal):
    with acme.browser(Origin=LISTED, **{"Sec-Fetch-Site": "cross-site"}) as browser:
        let_in = {rule for m, rule in unsafe(acme.app) if browser.request(m, path_of(rule)).status_code != 403}
    assert FROM_LISTED_SITES <= let_in <= FROM_LISTED_SITES | FROM_ANYWHERE | ANSWERED_BY_ITSELF


@pytest.mark.parametrize("headers", LED, ids=str)
def test_the_console_rejects_cross_site_requests(acme: Portal, headers: dict[str, str]):
    import httpx

    desk = create_console(acme.parts)
    routes = unsafe(desk)
    assert len(routes) >= 4
    with httpx.Client(
        transport=httpx.WSGITransport(app=desk), base_url="http://127.0.0.1:8002", headers=headers
    ) as browser:
        answers = {rule: browser.request(m, path_of(rule)) for m, rule in routes}
    assert {rule: one.status_code for rule, one in answers.items()} == dict.fromkeys(answers, 403)
    assert all("Another site sent this" in one.text for one in answers.values())
