"""The loader's texts are in the language that its URL names.

It is the same for everyone who requests that URL, so that any cache can store it."""

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
def test_texts_are_in_the_language_of_the_address(acme: Careers, asked: str, spoken: str):
    assert f'"{spoken}"' in acme.get(f"/embed.js{asked}").text


@pytest.mark.parametrize("asked", ["", "?lang=de"])
def test_the_browsers_language_has_no_effect(acme: Careers, asked: str):
    answers = [acme.get(f"/embed.js{asked}", **{"Accept-Language": tag}) for tag in ("de", "en", "fr", "*", "")]
    assert len({answer.text for answer in answers}) == 1
    assert len({answer.headers["ETag"] for answer in answers}) == 1
    for answer in answers:
        assert "Accept-Language" not in answer.headers.get_list("Vary", split_commas=True)


@pytest.mark.parametrize("tag", COMPLETE)
def test_no_language_exceeds_the_size_limit_or_lacks_a_translation(acme: Careers, tag):
    script = acme.get(f"/embed.js?lang={tag}").text
    assert len(gzip.compress(script.encode(), 9)) <= 4_096
    assert f'LANG = "{tag}"' in script
    assert not re.search(r"\b_\(", script)
