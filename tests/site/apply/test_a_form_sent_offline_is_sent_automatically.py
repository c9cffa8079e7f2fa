"""A form that is sent offline says so, and is sent once when the connection is back."""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from portal.delivery.envelopes.tables import deliveries
from tests.site.apply.applicant import CV
from tests.site.apply.upload_ahead import FORM, SEND, Ahead, ahead, fill, slow_down

pytestmark = pytest.mark.browser

NOTHING_SENT = "Nothing has been sent yet. It will be sent automatically when you are back online."
INTERRUPTED = "The connection was interrupted."
TENANT = """
[publish]
stages = ["Open"]
[site]
locales = ["en", "ar"]
[apply]
phone_region = "DE"
"""


@pytest.fixture
def site(tmp_path: Path, chromium: Browser) -> Iterator[Ahead]:
    with ahead(tmp_path, chromium) as made:
        made.portal.write_tenant("acme", "Acme", TENANT)
        made.portal.parts.clock.sleep(1)
        yield made


def fill_with_cv(page: Page) -> None:
    fill(page)
    page.set_input_files("#cv", {"name": CV[0], "mimeType": "text/plain", "buffer": CV[1]})
    expect(page.locator(".field-stored")).to_contain_text(CV[0])


def send(page: Page) -> None:
    page.get_by_role("button", name=SEND).click()


def applications(site: Ahead) -> int:
    """Return how many applications were accepted, repeated ones included."""
    with site.portal.parts.database.read() as connection:
        return len(connection.execute(deliveries.select()).all())


def is_received(page: Page) -> None:
    page.wait_for_url(re.compile("/applications/"))
    expect(page.locator("h1")).to_have_text("Thank you. Your application has been received.")


def lose_the_first_answer(site: Ahead) -> None:
    """Cut the connection after the portal has accepted the form and before it responds."""
    serve: Callable[..., Iterable[bytes]] = site.portal.app.wsgi_app
    waiting = [FORM]

    def serve_and_cut(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        answer = [*serve(environ, start_response)]
        if environ["REQUEST_METHOD"] == "POST" and environ["PATH_INFO"] in waiting:
            waiting.clear()
            site.cut()
        return answer

    site.portal.app.wsgi_app = serve_and_cut  # type: ignore[method-assign]  as middleware is added to Flask


def test_a_form_sent_offline_is_kept_and_sent_once_when_the_connection_is_back(site: Ahead) -> None:
    with site.window() as page:
        fill_with_cv(page)
        page.context.set_offline(True)
        send(page)
        expect(page.locator("[data-send-state]")).to_have_text(NOTHING_SENT)
        expect(page.locator("#firstName")).to_have_value("Ada")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert applications(site) == 0
        page.context.set_offline(False)
        is_received(page)
    assert applications(site) == 1
    assert site.files() == [CV[1]]
    assert len([one for one in site.posts if one.endswith(FORM)]) == 1


def test_a_connection_cut_during_the_post_loses_nothing(site: Ahead) -> None:
    with site.window() as page:
        fill_with_cv(page)
        slow_down(page, 1_000)
        with page.expect_request(lambda one: one.method == "POST" and one.url.endswith(FORM)):
            send(page)
        site.cut()
        expect(page.locator("[data-send-state]")).to_contain_text(INTERRUPTED)
        assert applications(site) == 0
        slow_down(page, -1)
        site.mend()
        is_received(page)
    assert applications(site) == 1
    assert site.files() == [CV[1]]


def test_a_response_lost_after_acceptance_leads_to_the_same_receipt(site: Ahead) -> None:
    lose_the_first_answer(site)
    with site.window() as page:
        fill_with_cv(page)
        send(page)
        expect(page.locator("[data-send-state]")).to_contain_text(INTERRUPTED)
        assert applications(site) == 1
        site.mend()
        is_received(page)
        expect(page.get_by_text("it was not sent again")).to_have_count(0)
    assert applications(site) == 1


def test_after_a_lost_response_a_reload_is_still_the_same_form(site: Ahead) -> None:
    lose_the_first_answer(site)
    with site.window() as page:
        fill_with_cv(page)
        send(page)
        expect(page.locator("[data-send-state]")).to_contain_text(INTERRUPTED)
        page.get_by_role("button", name="Do not send it yet").click()
        site.mend()
        page.reload()
        expect(page.locator(".field-stored")).to_contain_text(CV[0])
        send(page)
        is_received(page)
    assert applications(site) == 1


def test_a_form_waiting_for_the_connection_can_be_cancelled(site: Ahead) -> None:
    with site.window() as page:
        fill_with_cv(page)
        page.context.set_offline(True)
        send(page)
        page.get_by_role("button", name="Do not send it yet").click()
        expect(page.locator("[data-send-state]")).to_have_text("")
        expect(page.get_by_role("button", name=SEND)).to_be_focused()
        page.context.set_offline(False)
        page.fill("#email", "ada")
        send(page)
        expect(page.locator("#email-error")).to_be_visible()
        assert applications(site) == 0


def test_errors_are_shown_after_one_post_and_the_page_works_as_before(site: Ahead) -> None:
    with site.window() as page:
        fill_with_cv(page)
        page.fill("#email", "ada")
        send(page)
        expect(page.locator(".form-summary")).to_be_focused()
        expect(page).to_have_title(re.compile("^Error: "))
        assert len([one for one in site.posts if one.endswith(FORM)]) == 1
        page.get_by_role("button", name="Remove").click()
        before = len(site.posts)
        page.set_input_files("#cv", {"name": "Second.txt", "mimeType": "text/plain", "buffer": CV[1] * 2})
        expect(page.locator(".field-stored")).to_contain_text("Second.txt")
        assert len([one for one in site.posts[before:] if one.endswith("/uploads/direct")]) == 1
        page.fill("#email", "ada@people.example")
        send(page)
        is_received(page)
    assert site.files() == [CV[1] * 2]


def test_in_arabic_the_form_says_that_nothing_was_sent(site: Ahead) -> None:
    with site.window(f"{FORM}?lang=ar") as page:
        expect(page.locator("html")).to_have_attribute("dir", "rtl")
        fill_with_cv(page)
        page.context.set_offline(True)
        page.locator(".form-send button[type=submit]").click()
        expect(page.locator("[data-send-state]")).to_contain_text("لم يُرسل أي شيء بعد")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.context.set_offline(False)
        page.wait_for_url(re.compile("/applications/"))
    assert applications(site) == 1


def test_only_the_tab_that_sent_the_form_shows_the_address_on_the_receipt(site: Ahead) -> None:
    with site.window() as page:
        fill_with_cv(page)
        send(page)
        is_received(page)
        expect(page.locator("[data-sent-to]")).to_have_text("ada@people.example")
        expect(page.locator("[data-sent-to]")).to_be_visible()
        assert "ada@" not in page.url
        other = page.context.new_page()
        other.goto(page.url)
        expect(other.locator("[data-sent-to]")).to_be_hidden()
        assert "ada@people.example" not in other.content()
