"""/_components of the demo shows each component in each of its states; other portals have no such page."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from portal.app import create_app
from portal.demo import site
from tests.builders import portal
from tests.parts.demo import RunningDemo
from tests.parts.html import HtmlChecker
from tests.parts.missing import file

pytestmark = pytest.mark.verify

AXE = Path(__file__).parents[1] / "node" / "node_modules" / "axe-core" / "axe.min.js"
RUN = "axe.run().then(found => found.violations.map(v => v.id + ' ' + v.nodes[0].html))"


@pytest.mark.browser
@pytest.mark.xdist_group("demo")
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (320, "dark")])
def test_components_are_accessible(chromium: Browser, demo: RunningDemo, width: int, scheme: str):
    context = chromium.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto(f"{demo.portal}/_components")
    page.evaluate(file(AXE, how="python tools/install_parts.py, with npm installed").read_text(encoding="utf-8"))
    assert page.evaluate(RUN) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


@pytest.mark.browser
@pytest.mark.xdist_group("demo")
def test_their_html_is_valid(chromium: Browser, demo: RunningDemo, html: HtmlChecker):
    context = chromium.new_context()
    answer = context.new_page().goto(f"{demo.portal}/_components")
    assert answer
    source = answer.text()
    context.close()
    assert html.validate(source) == []


def test_no_site_of_a_company_has_the_page(tmp_path: Path):
    made = portal(tmp_path)
    made.add_tenant("acme", "Acme")
    with made.browser() as browser:
        assert browser.get("/_components").status_code == 404
    made.parts.database.close()


def test_the_demo_has_the_page_with_and_without_companies(tmp_path: Path):
    made = portal(tmp_path)
    app = create_app(made.parts, extra_blueprints=[site.blueprint])
    assert app.test_client().get("/_components").status_code == 200
    made.add_tenant("acme", "Acme")
    assert app.test_client().get("/_components").status_code == 200
    made.parts.database.close()
