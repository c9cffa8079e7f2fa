"""No page, mail or error says "we"; they name the company instead."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.extract import extract_from_dir

ROOT = Path(__file__).parents[3]
_KEYWORDS = {"_": None, "gettext": None, "lazy_gettext": None, "ngettext": (1, 2), "msgid": None}
_OF_US = re.compile(r"\b(we|us|our|ours|ourselves)\b", re.IGNORECASE)
_FOR_OPERATORS = ("cli/", "tracker/", "demo/", "settings.py")


def sentences() -> Iterator[tuple[str, str]]:
    """Yield (file, sentence) for every text that people see."""
    for folder, how in (("templates", "jinja2.ext:babel_extract"), ("portal", "python")):
        methods = [("**.html", how), ("**.txt", how)] if folder == "templates" else [("**.py", how)]
        for file, _, said, _, _ in extract_from_dir(ROOT / folder, methods, keywords=_KEYWORDS):
            for one in said if isinstance(said, tuple) else (said,):
                if one and not (folder == "portal" and file.startswith(_FOR_OPERATORS)):
                    yield f"{folder}/{file}", one


@pytest.fixture(scope="module")
def said() -> list[tuple[str, str]]:
    found = list(sentences())
    assert len(found) > 300
    return found


def test_no_text_says_we(said: list[tuple[str, str]]):
    assert [one for one in said if _OF_US.search(one[1])] == []


@pytest.mark.parametrize(
    "promise", ["anything you would like", "get in touch with you", "answer everyone", "at any time"]
)
def test_no_text_promises_a_missing_feature(said: list[tuple[str, str]], promise: str):
    assert [one for one in said if promise in one[1]] == []
