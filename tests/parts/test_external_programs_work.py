"""Each program that tests depend on does what they need from it."""

import socket
from contextlib import closing
from typing import TYPE_CHECKING

from portal.adapters.inspection.scanner import open_scanner
from tests.parts.html import HtmlChecker
from tests.parts.redis import RunningRedis

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.parts.clamd import RunningClamd


def test_the_html_checker_finds_an_unclosed_element(html: HtmlChecker) -> None:
    page = "<!doctype html><html lang=en><title>Jobs</title><p>Two <b>open jobs"
    assert any("b" in error for error in html.validate(page))


def test_the_html_checker_accepts_a_valid_page(html: HtmlChecker) -> None:
    assert html.validate("<!doctype html><html lang=en><title>Jobs</title><p>Two open jobs") == []


def test_redis_responds(redis: RunningRedis) -> None:
    with closing(socket.create_connection(("127.0.0.1", redis.port), timeout=5)) as connection:
        connection.sendall(b"PING\r\n")
        assert connection.recv(100) == b"+PONG\r\n"


def test_clamd_passes_the_preflight_check_of_the_portal(clamd: "RunningClamd") -> None:
    scanner = open_scanner(clamd.address)
    assert scanner is not None
    scanner.check()


def test_chromium_shows_a_page_and_reaches_nothing_else(chromium: "Browser") -> None:
    page = chromium.new_page()
    page.set_content("<h1>Jobs</h1>")
    assert page.inner_text("h1") == "Jobs"
    page.set_content("<img id=i src='http://example.com/logo.png'>")
    page.wait_for_function("document.getElementById('i').complete")
    assert page.evaluate("document.getElementById('i').naturalWidth") == 0
    page.close()
