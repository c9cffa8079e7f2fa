"""`/_mails` is a page of the demo only."""

from html import unescape
from pathlib import Path

import html5lib

from portal.app import create_app
from portal.demo import mails
from tests import builders


def page(folder: Path, path: str, *, demo: bool) -> tuple[int, str]:
    made = builders.portal(folder)
    made.add_tenant("acme", "Acme Robotics")
    made.add_tenant("globex", "Globex")
    made.app = create_app(made.parts, extra_blueprints=[mails.blueprint] if demo else [])
    with made.browser() as browser:
        answer = browser.get(path)
    made.parts.database.close()
    return answer.status_code, answer.text


def test_each_email_is_shown_for_phone_and_desktop_and_as_text(tmp_path: Path):
    status, text = page(tmp_path / "portal", "/_mails?tenant=globex", demo=True)
    assert status == 200
    root = html5lib.parse(text, namespaceHTMLElements=False)
    frames = root.findall(".//iframe")
    assert len(frames) == 2 * len(mails.SAMPLES) == 2 * len(root.findall(".//pre"))
    assert all(one.get("sandbox") == "" and "Globex" in unescape(one.attrib["srcdoc"]) for one in frames)


def test_an_unknown_language_shows_english(tmp_path: Path):
    status, text = page(tmp_path / "portal", "/_mails?lang=xx&tenant=nobody", demo=True)
    assert status == 200
    assert "is your code for Acme Robotics" in text


def test_the_page_exists_only_in_the_demo(tmp_path: Path):
    assert page(tmp_path / "portal", "/_mails", demo=False)[0] == 404
