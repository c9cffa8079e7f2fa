"""If two colleagues edit the texts of replies, the second sees both versions, keeps their text, and decides."""

import re

from tests.tracker.hiring.site import OWNER, RECRUITER, HiringBrowser, HiringSite

PATH = "/words/rejection"


def save(browser: HiringBrowser, subject: str) -> int:
    """Press Save on the page that is shown."""
    found = re.search(r'name="seen" value="([0-9a-f]+)"', browser.page)
    assert found
    return browser.post(PATH, locale="en", subject=subject, body="Hello", seen=found[1]).status_code


def subject(hiring: HiringSite) -> str:
    browser = hiring.signed_in(OWNER)
    browser.get(f"{PATH}?locale=en")
    return browser.page.partition('id="subject" name="subject" type="text" value="')[2].partition('"')[0]


def both(hiring: HiringSite) -> tuple[HiringBrowser, HiringBrowser]:
    browsers = hiring.signed_in(RECRUITER), hiring.signed_in(OWNER)
    for one in browsers:
        one.get(f"{PATH}?locale=en")
    return browsers


def test_the_second_colleague_sees_both_versions(hiring_on_both: HiringSite):
    first, second = both(hiring_on_both)
    assert save(first, "First") == 200
    assert save(second, "Second") == 409
    assert "These words were changed meanwhile" in second.words
    assert "First" in second.words
    assert 'value="Second"' in second.page
    assert subject(hiring_on_both) == "First"


def test_saving_again_replaces_the_other_version(hiring: HiringSite):
    first, second = both(hiring)
    save(first, "First")
    save(second, "Second")
    assert save(second, "Second") == 200
    assert subject(hiring) == "Second"


def test_a_validation_error_keeps_the_conflict_state(hiring: HiringSite):
    first, second = both(hiring)
    assert save(second, " ") == 422
    save(first, "First")
    assert save(second, "Second") == 409


def test_edits_of_different_languages_do_not_conflict(hiring: HiringSite):
    first, second = both(hiring)
    second.get(f"{PATH}?locale=de")
    found = re.search(r'name="seen" value="([0-9a-f]+)"', second.page)
    assert found
    save(first, "First")
    answer = second.post(PATH, locale="de", subject="Zweite", body="Hallo", seen=found[1])
    assert answer.status_code == 200
    assert subject(hiring) == "First"
