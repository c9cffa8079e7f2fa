"""Pages show the last valid pictures of a company from the portal's host, or the company's name if there is none."""

import re
from datetime import timedelta

import httpx
import pytest
import sqlalchemy as sa

from portal.app import create_app
from portal.jobs.mirror import version
from portal.platform.database.db import Database
from portal.tenants.pictures import stored_pictures
from portal.tenants.pictures.tables import PictureKind, pictures
from tests.builders import Portal
from tests.schemas import PORTAL
from tests.tenants.pictures.conftest import FILE
from tests.tenants.pictures.internet import COVER, LOGO, Internet, photo, svg

LOGO_TAG, COVER_TAG = re.compile(r'<img class="brand-logo"[^>]*>'), re.compile(r'<img class="cover"[^>]*>')


def page(acme: Portal, path: str = "/acme/") -> str:
    with acme.browser() as browser:
        return browser.get(path).text


def address(tag: str) -> str:
    found = re.search(r'src="([^"]+)"', tag)
    assert found
    return found[1]


def logo(acme: Portal) -> str | None:
    found = LOGO_TAG.search(page(acme))
    return found[0] if found else None


def served(acme: Portal, path: str) -> httpx.Response:
    with acme.browser() as browser:
        return browser.get(path)


def why(acme: Portal) -> dict[PictureKind, str]:
    tenant = acme.parts.tenants.require("acme")
    return stored_pictures.missing(acme.parts.database, tenant)


def later(acme: Portal, **time: float) -> None:
    acme.parts.clock.pass_time(timedelta(**time).total_seconds())


def test_pictures_are_served_by_the_portal_with_their_size(acme: Portal, internet: Internet):
    internet.has(LOGO, svg())
    internet.has(COVER, photo(800, 200, "JPEG"))
    assert acme.work.fetch_pictures() == 2
    list_ = page(acme)
    tag, cover = LOGO_TAG.search(list_)[0], COVER_TAG.search(list_)[0]
    assert 'alt="Acme Robotics"' in tag
    assert 'width="192" height="64"' in tag
    assert 'width="800" height="200"' in cover
    assert 'alt=""' in cover
    # Search engines get the original URL of the logo; browsers load nothing from it.
    assert "www.acme.example" not in re.sub(r'<script type="application/ld\+json">.*?</script>', "", list_)
    answer = served(acme, address(tag))
    assert answer.headers["Content-Type"].startswith("image/svg+xml")
    assert "immutable" in answer.headers["Cache-Control"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "sandbox" in answer.headers["Content-Security-Policy"]
    assert served(acme, address(cover)).headers["Content-Type"] == "image/webp"
    assert "--cover-focus:20% 80%" in served(acme, re.search(r'href="([^"]+theme[^"]+)"', list_)[1]).text
    assert why(acme) == {}


def test_pictures_are_served_by_the_companys_own_host(acme: Portal, internet: Internet):
    internet.has(LOGO, svg())
    acme.work.fetch_pictures()
    acme.write_tenant("acme", "Acme Robotics", FILE + 'hosts = ["careers.acme.example"]\n')
    later(acme, seconds=1)
    with acme.browser() as browser:
        tag = LOGO_TAG.search(browser.get("/", headers={"Host": "careers.acme.example"}).text)
        assert tag
        assert address(tag[0]).startswith("/pictures/")
        assert browser.get(address(tag[0]), headers={"Host": "careers.acme.example"}).status_code == 200


@pytest.mark.parametrize("content", [b"<html>404</html>", svg("<script>alert(1)</script>"), b""])
def test_without_a_valid_logo_the_name_is_shown(acme: Portal, internet: Internet, content: bytes):
    internet.has(LOGO, content)
    acme.work.fetch_pictures()
    shown = page(acme)
    assert not LOGO_TAG.search(shown)
    assert "brand-name" in shown
    assert "the page does without" in why(acme)[PictureKind.LOGO]


def test_the_last_valid_logo_is_kept(acme: Portal, internet: Internet):
    internet.has(LOGO, svg())
    acme.work.fetch_pictures()
    before = logo(acme)
    internet.has(LOGO, b"<html>moved</html>")
    later(acme, days=1, seconds=1)
    acme.work.fetch_pictures()
    assert logo(acme) == before
    assert "the last good one is shown" in why(acme)[PictureKind.LOGO]
    internet.has(LOGO, svg("<path d='M1 1h7'/>"))
    later(acme, minutes=1, seconds=1)
    acme.work.fetch_pictures()
    assert logo(acme) not in {before, None}
    assert PictureKind.LOGO not in why(acme)


def test_the_last_logo_is_kept_if_its_url_becomes_invalid(acme: Portal, internet: Internet):
    internet.has(LOGO, svg())
    acme.work.fetch_pictures()
    before = logo(acme)
    acme.write_tenant("acme", "Acme Robotics", FILE.replace("logo.svg", "lgoo.svg"))
    later(acme, seconds=1)
    assert "not fetched yet" in why(acme)[PictureKind.LOGO]
    acme.work.fetch_pictures()
    assert "lgoo" in internet.asked[-1] + internet.asked[-2]
    assert logo(acme) == before


def test_a_new_url_is_fetched_immediately(acme: Portal, internet: Internet):
    internet.has(LOGO, svg())
    acme.work.fetch_pictures()
    internet.has("https://www.acme.example/new.svg", svg("<path d='M3 3h3'/>"))
    before = logo(acme)
    acme.write_tenant("acme", "Acme Robotics", FILE.replace("logo.svg", "new.svg"))
    later(acme, seconds=1)
    acme.work.fetch_pictures()
    assert logo(acme) not in {before, None}


def test_valid_logos_are_fetched_daily_and_broken_ones_with_growing_pauses(acme: Portal, internet: Internet):
    internet.has(LOGO, svg())
    acme.work.fetch_pictures()
    for pause in (60, 240, 960, 3_840, 15_360, 61_440, 86_400, 86_400):
        later(acme, seconds=pause - 1)
        before = internet.asked.count(COVER)
        acme.work.fetch_pictures()
        assert internet.asked.count(COVER) == before
        later(acme, seconds=1)
        acme.work.fetch_pictures()
        assert internet.asked.count(COVER) == before + 1
    assert internet.asked.count(LOGO) == 1 + 2


def test_two_workers_fetch_a_logo_once(acme: Portal, internet: Internet):
    due = [acme.parts.tenants.require("acme")]
    inside: list[int] = []

    def meanwhile() -> httpx.Response:
        inside.append(
            stored_pictures.refresh(acme.parts.database, due, acme.work._downloader, acme.parts.clock, version.renew)
        )
        return httpx.Response(200, stream=httpx.ByteStream(svg()))

    internet.pages[LOGO] = meanwhile
    acme.work.fetch_pictures()
    assert inside == [0]
    assert internet.asked.count(LOGO) == 1


def test_one_of_two_workers_that_find_a_logo_due_fetches_it(acme: Portal, internet: Internet):
    internet.has(LOGO, svg())
    acme.work.fetch_pictures()
    later(acme, days=1, seconds=1)
    database, now = acme.parts.database, acme.parts.clock.now()
    with database.read() as connection:
        row = connection.execute(sa.select(pictures).where(pictures.c.kind == PictureKind.LOGO)).one()
    due = stored_pictures._Due("acme", PictureKind.LOGO, LOGO, row)
    assert [stored_pictures._claim(database, due, now) for _ in range(2)] == [True, False]


def test_a_picture_of_a_former_url_is_not_stored(acme: Portal, internet: Internet):
    def meanwhile() -> httpx.Response:
        with acme.parts.database.write() as connection:
            connection.execute(sa.update(pictures).values(address="https://www.acme.example/other.svg"))
        return httpx.Response(200, stream=httpx.ByteStream(svg()))

    internet.pages[LOGO] = meanwhile
    acme.work.fetch_pictures()
    assert logo(acme) is None


def test_a_tenant_without_logo_setting_shows_none(acme: Portal, internet: Internet):
    internet.has(LOGO, svg())
    acme.work.fetch_pictures()
    there = address(logo(acme))
    acme.write_tenant("acme", "Acme Robotics")
    later(acme, seconds=1)
    assert logo(acme) is None
    acme.work.fetch_pictures()
    assert served(acme, there).status_code == 404


def test_pictures_of_other_companies_are_not_found(acme: Portal, internet: Internet):
    internet.has(LOGO, svg())
    acme.work.fetch_pictures()
    acme.add_tenant("globex", "Globex Talent")
    later(acme, seconds=1)
    there = address(logo(acme))
    assert served(acme, there).status_code == 200
    assert served(acme, there.replace("acme", "globex")).status_code == 404
    assert served(acme, "/acme/pictures/nonsense").status_code == 404


def test_pages_are_shown_during_a_database_outage(acme: Portal):
    acme.parts.database.close()
    acme.parts.database = Database("postgresql+psycopg://nobody@127.0.0.1:1/none", migrations=PORTAL)
    with httpx.Client(
        transport=httpx.WSGITransport(create_app(acme.parts)), base_url="http://127.0.0.1:8000"
    ) as browser:
        answer = browser.get("/acme/jobs/1")
    assert answer.status_code == 503
    assert "brand-name" in answer.text
