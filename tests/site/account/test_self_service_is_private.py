"""Self-service is never framed or cached; its cookies are closed to scripts, subdomains and plain http."""

from pathlib import Path

import pytest

from tests import builders
from tests.site.account.candidate import CANARY, Visitor, candidate, code_in, mailbox
from tests.site.account.conftest import FILE

PAGES = [
    "/profile",
    "/profile/code",
    "/profile/edit",
    "/profile/applications",
    "/profile/data",
    "/profile/data.json",
    "/profile/erase",
]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_neither_cached_nor_framed(ada: Visitor, path: str):
    ada.sign_in()
    headers = ada.client.get(ada.at(path)).headers
    assert headers["cache-control"] == "no-store"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-frame-options"] == "DENY"


def test_embedding_a_tenants_jobs_does_not_embed_self_service(acme, ada: Visitor):
    acme.write_tenant("acme", "Acme", FILE + '[embed]\norigins = ["https://www.acme.example"]\n')
    acme.parts.clock.pass_time(1)
    for path in ("/profile", "/profile/code"):
        assert "frame-ancestors 'none'" in ada.client.get(ada.at(path)).headers["content-security-policy"]


def test_cookies_over_https_are_host_bound_and_secure(tmp_path: Path):
    made = builders.portal(tmp_path / "portal", base_url="https://careers.example")
    made.add_tenant("acme", "Acme", FILE)
    made.service.load("acme", [candidate()])
    made.work.index_what_is_due()
    ada = Visitor(made)
    asked = ada.ask()
    entered = ada.enter(code_in(mailbox(made)[-1]))
    for answer, name in ((asked, "__Host-asked-acme"), (entered, "__Host-session-acme")):
        (cookie,) = [
            one
            for one in answer.headers.get_list("set-cookie")
            if one.startswith(name) and "Expires=Thu, 01 Jan 1970" not in one
        ]
        parts = {part.strip().split("=")[0].lower() for part in cookie.split(";")}
        assert {"secure", "httponly", "path", "samesite"} <= parts
        assert "domain" not in parts
        assert "SameSite=Lax" in cookie
        assert "Path=/;" in f"{cookie};"
    assert CANARY not in entered.text
    made.parts.database.close()


def test_cookies_over_http_are_closed_to_scripts(ada: Visitor):
    asked = ada.ask()
    cookie = asked.headers["set-cookie"]
    assert cookie.startswith("asked-acme=")
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie


def test_public_pages_set_no_cookie(ada: Visitor):
    ada.sign_in()
    for path in ("/", "/jobs/job-1", "/jobs/job-1/apply"):
        assert "set-cookie" not in ada.client.get(ada.at(path)).headers
