"""/favicon.ico is the company's icon on its own host, and the portal's on the portal's host."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.builders import Portal
from tests.site.account.candidate import open_acme

FILE = '[publish]\nstages = ["Open"]\n[site]\nhosts = ["careers.acme.example"]\naccent = "#aa2200"\n'


@pytest.fixture
def acme(tmp_path: Path) -> Iterator[Portal]:
    made = open_acme(tmp_path / "portal", file=FILE, base_url="https://portal.example")
    yield made
    made.parts.database.close()


def asked(acme: Portal, host: str) -> httpx.Response:
    with httpx.Client(transport=httpx.WSGITransport(acme.app), base_url=f"https://{host}") as browser:
        return browser.get("/favicon.ico")


def test_a_company_has_its_own_icon_on_its_own_host(acme: Portal):
    answer = asked(acme, "careers.acme.example")
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "image/png")
    with httpx.Client(transport=httpx.WSGITransport(acme.app), base_url="https://careers.acme.example") as browser:
        assert answer.content == browser.get("/icon-32.png").content


def test_the_portal_has_the_products_icon(acme: Portal):
    answer = asked(acme, "portal.example")
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "image/svg+xml; charset=utf-8")
    assert answer.text == Path("static/img/icon.svg").read_text(encoding="utf-8")


def test_the_icon_is_cached_and_revalidated(acme: Portal):
    for host in ("careers.acme.example", "portal.example"):
        assert asked(acme, host).headers["Cache-Control"] == "public, no-cache"
