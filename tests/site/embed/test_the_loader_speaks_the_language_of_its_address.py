"""The loader's texts are in the language that its URL names.

It is the same for everyone who asks for that address, so that any cache can keep it.
"""

import gzip
import re

import pytest

from portal.tenants.languages import COMPLETE
from tests.site.browse.jobs import Careers


@pytest.mark.parametrize(
    ("asked", "spoken"),
    [
        ("", "Try again"),
        ("?lang=de", "Noch einmal versuchen"),
        ("?lang=de-CH", "Noch einmal versuchen"),
        ("?lang=xx", "Try again"),
        ("?lang=", "Try again"),
    ],
)
def test_it_says_what_it_says_in_the_language_of_its_address(acme: Careers, asked: str, spoken: str):
    assert f'"{spoken}"' in acme.get(f"/embed.js{asked}").text


@pytest.mark.parametrize("asked", ["", "?lang=de"])
def test_what_the_browser_prefers_changes_nothing(acme: Careers, asked: str):
    answers = [acme.get(f"/embed.js{asked}", **{"Accept-Language": tag}) for tag in ("de", "en", "fr", "*", "")]
    assert len({answer.text for answer in answers}) == 1
    assert len({answer.headers["ETag"] for answer in answers}) == 1
    for answer in answers:
        assert "Accept-Language" not in answer.headers.get_list("Vary", split_commas=True)


@pytest.mark.parametrize("tag", COMPLETE)
def test_in_no_language_it_is_large_and_nothing_is_left_to_say(acme: Careers, tag):
    script = acme.get(f"/embed.js?lang={tag}").text
    assert len(gzip.compress(script.encode(), 9)) <= 4_096
    assert f'LANG = "{tag}"' in script
    assert not re.search(r"\b_\(", script)
