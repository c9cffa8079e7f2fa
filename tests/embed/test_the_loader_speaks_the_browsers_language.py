"""The few sentences of the loader stand in pages of others: it brings them, in the language of whoever looks at it."""

import gzip
import re

import pytest

from portal.tenants.languages import COMPLETE
from tests.browse.jobs import Careers


@pytest.mark.parametrize(
    ("asked", "accepted", "spoken"),
    [
        ("", "de-AT,de;q=0.9,en;q=0.8", "Noch einmal versuchen"),
        ("", "sv,fi", "Try again"),
        ("", "", "Try again"),
        ("", "*", "Try again"),
        ("?lang=de", "fr", "Noch einmal versuchen"),
        ("?lang=de-CH", "fr", "Noch einmal versuchen"),
        ("?lang=xx", "de", "Noch einmal versuchen"),
    ],
)
def test_it_says_what_it_says_in_the_language_of_the_browser(acme: Careers, asked, accepted, spoken):
    answer = acme.get(f"/embed.js{asked}", **{"Accept-Language": accepted})
    assert f'"{spoken}"' in answer.text


def test_each_language_is_kept_for_itself(acme: Careers):
    once, again = (
        [acme.get("/embed.js", **{"Accept-Language": tag}).text for tag in ("de", "en", "fr")] for _ in range(2)
    )
    assert once == again
    assert len(set(once)) == 3
    assert "Accept-Language" in acme.get("/embed.js").headers.get_list("Vary", split_commas=True)


@pytest.mark.parametrize("tag", COMPLETE)
def test_in_no_language_it_is_large_and_nothing_is_left_to_say(acme: Careers, tag):
    script = acme.get("/embed.js", **{"Accept-Language": tag}).text
    assert len(gzip.compress(script.encode(), 9)) <= 4_096
    assert f'LANG = "{tag}"' in script
    assert not re.search(r"\b_\(", script)
