"""The content security policy does not block structured data, because data blocks are not executed."""

import pytest
from playwright.sync_api import Browser

from tests.parts.html import HtmlChecker
from tests.parts.wsgi import serving
from tests.site.browse.jobs import vacancy

pytestmark = pytest.mark.browser
REFUSALS = "document.addEventListener('securitypolicyviolation', e => console.error(e.violatedDirective))"


def test_nothing_is_blocked_and_the_data_is_present(careers, chromium: Browser):
    careers.publish(vacancy("w1", "Welder </script>", "<p>Weld.</p>"))
    said: list[str] = []
    with serving(careers.portal.app) as origin:
        page = chromium.new_context().new_page()
        page.add_init_script(REFUSALS)
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        for path, blocks in (("/acme/jobs/w1", 2), ("/acme/", 2)):
            page.goto(origin + path)
            found = "all => all.map(one => JSON.parse(one.textContent)['@type'])"
            assert len(page.locator("script[type='application/ld+json']").evaluate_all(found)) == blocks
        assert said == []
        # The policy does block other inline scripts.
        page.evaluate("document.head.append(Object.assign(document.createElement('script'), {text: 'let x'}))")
        page.wait_for_timeout(100)
        page.context.close()
    assert any("script-src" in one for one in said)


def test_pages_are_valid_html(careers, html: HtmlChecker):
    careers.publish(vacancy("w1", "Welder & <b>", "<p>Weld.</p>", client="A & B"))
    for path in ("/acme/jobs/w1", "/acme/", "/acme/jobs/w1?lang=de", "/acme/?city=Berlin"):
        assert html.validate(careers.get(path).text) == []
