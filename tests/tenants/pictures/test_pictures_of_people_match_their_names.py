"""Pictures of people and for dark mode are fetched and served like the logo; a new URL starts without a picture."""

import re

import httpx
import pytest

from portal.platform.errors import PictureUnusable
from portal.tenants.pictures import stored_pictures
from portal.tenants.pictures.checking import checked
from portal.tenants.pictures.tables import PictureKind
from tests.builders import Portal
from tests.site.browse.jobs import vacancy
from tests.tenants.pictures.internet import LOGO, Internet, photo, svg

ADA, BEN, DARK = (f"https://www.acme.example/{name}" for name in ("ada.jpg", "ben.jpg", "dark.svg"))
FILE = f"""[publish]
stages = ["Open"]
[site]
logo = "{LOGO}"
logo_dark = "{DARK}"
[[site.people]]
name = "Ada"
picture = "{ADA}"
"""
FACE, SOURCE = re.compile(r'<img class="portrait" src="([^"]+)"'), re.compile(r'<source [^>]*srcset="([^"]+)"')


def with_a_job(acme: Portal, file: str = FILE) -> None:
    acme.service.load("acme", [vacancy("w1", "Welder")])
    told(acme, file)
    acme.parts.clock.pass_time(86_401)
    acme.work.mirror_what_is_due()


def told(acme: Portal, file: str) -> None:
    acme.write_tenant("acme", "Acme Robotics", file)
    acme.parts.clock.pass_time(1)


def fetch(acme: Portal) -> None:
    acme.work.fetch_pictures()
    acme.parts.clock.pass_time(1)  # cached pages are made again


def get(acme: Portal, path: str) -> httpx.Response:
    with acme.browser() as browser:
        return browser.get(path)


def job(acme: Portal) -> str:
    answer = get(acme, "/acme/jobs/w1")
    assert answer.status_code == 200
    return answer.text


def test_a_persons_picture_is_served_by_the_portal_in_the_displayed_size(acme: Portal, internet: Internet):
    internet.has(ADA, photo(900, 900, "JPEG"))
    with_a_job(acme)
    assert not FACE.search(job(acme))
    assert '<span class="portrait" aria-hidden="true">A</span>' in job(acme)
    fetch(acme)
    page = job(acme)
    assert "www.acme.example/ada" not in page
    assert 'width="288" height="288"' in page
    assert get(acme, FACE.search(page)[1]).headers["Content-Type"] == "image/webp"


def test_a_new_url_shows_no_picture_until_it_is_fetched(acme: Portal, internet: Internet):
    internet.has(ADA, photo(64, 64))
    with_a_job(acme)
    fetch(acme)
    before = FACE.search(job(acme))[1]
    told(acme, FILE.replace("Ada", "Ben").replace(ADA, BEN))
    fetch(acme)
    assert not FACE.search(job(acme))
    assert get(acme, before).status_code == 404
    internet.has(BEN, photo(80, 80))
    acme.parts.clock.pass_time(61)
    fetch(acme)
    assert FACE.search(job(acme))[1] != before


def test_a_dark_mode_logo_is_a_separate_source(acme: Portal, internet: Internet):
    internet.has(LOGO, svg())
    with_a_job(acme)
    fetch(acme)
    assert not SOURCE.search(job(acme))
    internet.has(DARK, svg("<path d='M1 1h7'/>"))
    acme.parts.clock.pass_time(61)
    fetch(acme)
    source = SOURCE.search(job(acme))
    assert '(prefers-color-scheme: dark)"' in source[0]
    assert get(acme, source[1]).headers["Content-Type"].startswith("image/svg+xml")


def test_missing_pictures_are_reported_by_setting_without_names(acme: Portal):
    with_a_job(acme)
    fetch(acme)
    tenant = acme.parts.tenants.require("acme")
    said = {stored_pictures.setting_of(slot) for slot in stored_pictures.missing(acme.parts.database, tenant)}
    assert said == {"site.logo", "site.logo_dark", "site.people.picture"}


def test_a_persons_picture_has_its_own_size_limits():
    slots = {"logo": "logo", "logo_dark": "logo", "cover_dark": "cover", stored_pictures.person_slot(ADA): "person"}
    assert {slot: stored_pictures.kind_of(slot).value for slot in slots} == slots
    assert len(stored_pictures.person_slot(ADA)) <= 10
    assert checked(photo(288, 288), PictureKind.PERSON).width == 288
    assert checked(photo(289, 289), PictureKind.PERSON).width == 288
    with pytest.raises(PictureUnusable, match="8 at least"):
        checked(photo(7, 8), PictureKind.PERSON)
