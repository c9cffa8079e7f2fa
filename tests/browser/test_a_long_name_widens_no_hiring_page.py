"""A long name, address or link without spaces widens no hiring page; an owner's header fits in one row."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.parts.process import free_port
from tests.schemas import TRACKER, sqlite_copy
from tests.site.embed.company_site import Server
from tests.told_clock import ToldClock
from tests.tracker.hiring.applicants import apply
from tests.tracker.hiring.site import OWNER, opened_hiring

pytestmark = [pytest.mark.browser, pytest.mark.verify]

LONG = "W" * 100
WIDE = 320
ONE_ROW = 80
"""Pixels that two rows of links exceed."""


def test_hiring_pages_are_as_wide_as_the_phone(chromium: Browser, tmp_path: Path):
    with opened_hiring(sqlite_copy(tmp_path / "tracker.db", TRACKER), ToldClock(), tmp_path) as site:
        job = site.office.add_vacancy(name=LONG)
        who = {"firstName": LONG, "lastName": LONG, "networkUrl": f"https://people.example/{LONG}"}
        ids = [apply(site, job, email=f"{LONG[:60]}{number}@people.example", **who) for number in range(2)]
        owner = site.signed_in(OWNER)
        owner.get(f"/applications/{ids[0]}")
        owner.post(f"/applications/{ids[0]}/notes", note=LONG)
        owner.get("/account")
        words = {"kind": "rejection", "locale": "en", "subject": "About {job}", "body": LONG, "then": "send"}
        owner.client.post("/acme/hiring/reply", data={"token": owner.token, "to": ids} | words)
        server = Server(site.office.app, free_port())
        server.up()
        try:
            context = chromium.new_context(viewport={"width": WIDE, "height": 740})
            address = f"http://127.0.0.1:{server.port}"
            context.add_cookies([{"name": n, "value": v, "url": address} for n, v in owner.client.cookies.items()])
            page = context.new_page()
            one = f"/applications/{ids[0]}"
            for path in (f"/jobs/{job}/applications", one, f"{one}/erase", f"/reply?to={ids[0]}", "/jobs"):
                page.goto(f"{address}/acme/hiring{path}")
                assert "WWW" in page.inner_text("main"), path
                assert page.evaluate("document.documentElement.scrollWidth") <= WIDE, path
            page.set_viewport_size({"width": 1280, "height": 740})
            header = page.get_by_role("banner").bounding_box()
            assert header
            assert header["height"] < ONE_ROW
            context.close()
        finally:
            server.down()
