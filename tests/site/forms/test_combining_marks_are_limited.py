"""Text is limited before normalisation, so that 256 KB of combining marks take little time.

The time of normalisation grows with the square of the number of consecutive marks, and it holds the interpreter's
lock: it was half a minute in which no page was served."""

import sys
import time
import unicodedata
from collections.abc import Callable
from contextlib import suppress

import pytest
from werkzeug.datastructures import MultiDict

from portal.adapters.storage.store import clean_filename
from portal.jobs.mirror.ingest import single_line
from portal.jobs.places.gazetteer import find_place
from portal.jobs.search.folding import name_key
from portal.platform.crypto.normal_forms import MARKS_MOST, composed, decomposed, is_mark
from portal.platform.crypto.sealing import folded
from portal.site.forms.fields import countries, email_address, link, phone, text
from portal.site.forms.fields.refusal import FieldError, Refused
from portal.site.words import query
from tests.parts.cpu_cost import cost

_SECONDS = 0.5
"""Ten times what is promised."""
_RUNS = {
    "one mark": "\u0301" * 131_072,
    "marks in no order": "\u0315\u0300\u0327\u0338" * 32_768,
    "on a letter": "e" + "\u0315\u0300" * 65_536,
    "marks that come apart": "\u0f73" * 87_000,
    "half-width marks": "\uff9e" * 87_000,
    "as many as are allowed": ("e" + "\u0315\u0300" * (MARKS_MOST // 2)) * 4_200,
}
_READERS: dict[str, Callable[[str], object]] = {
    "a name": lambda typed: text.required(typed, longest=100),
    "an address": email_address.parse,
    "a domain": lambda typed: email_address.parse(f"a@{typed}"),
    "a link": link.parse,
    "a host": lambda typed: link.parse(f"https://{typed}/"),
    "a phone number": lambda typed: phone.parse(typed, regions=("DE",)),
    "a country": countries.parse,
    "shown again": text.displayable,
    "a file's name": lambda typed: clean_filename(f"{typed}.pdf", "pdf"),
    "words to search": lambda typed: query.parse(MultiDict([("q", typed), ("near", typed), ("city", typed)])),
    "a place": lambda typed: find_place(typed[:2_000]),
    "a place's key": name_key,
    "an address to compare": folded,
    "a domain to compare": lambda typed: folded(f"a@{typed}"),
    "a title": lambda typed: single_line(typed, 300),
    "NFC": composed,
    "NFKD": decomposed,
}


@pytest.mark.parametrize("run", _RUNS)
@pytest.mark.parametrize("reader", _READERS)
def test_each_field_is_processed_quickly(reader: str, run: str) -> None:
    def read() -> None:
        with suppress(Refused):
            _READERS[reader](_RUNS[run])

    assert cost(read, clock=time.thread_time, turns=2) < _SECONDS


def test_more_marks_than_any_language_needs_are_rejected_with_the_reason() -> None:
    most = "a" + "\u0316" * MARKS_MOST
    assert text.required(most, longest=100) == most
    with pytest.raises(Refused) as caught:
        text.required(most + "\u0316", longest=100)
    assert caught.value.reason is FieldError.MARKS


def test_excess_marks_are_removed_where_no_error_can_be_shown() -> None:
    assert composed("e\u0301" + "\u0316" * 100 + "x") == "é" + "\u0316" * (MARKS_MOST - 1) + "x"


@pytest.mark.parametrize("form", ["NFC", "NFKD"])
def test_any_other_text_is_normalised_as_unicode_specifies(form: str) -> None:
    normal = composed if form == "NFC" else decomposed
    for word in (
        "José",
        "e\u0301" * 100,
        "각",
        "\u1100\u1161\u11a8",
        "ﷺ",
        "ｶﾞ",
        "\u03b1\u0345\u0313\u0300" * 9,
        "क्षि",
        "",
    ):
        assert normal(word) == unicodedata.normalize(form, word)  # type: ignore[arg-type]  a normalisation form


def test_text_that_fits_after_composition_is_accepted() -> None:
    """Four characters that NFC combines into one: the length is limited after composition."""
    letter = "\u03b1\u0313\u0300\u0345"
    assert text.required(letter * 100, longest=100) == unicodedata.normalize("NFC", letter) * 100
    with pytest.raises(Refused) as caught:
        text.required(letter * 100 + "a", longest=100)
    assert caught.value.reason is FieldError.TOO_LONG


def test_every_mark_of_unicode_is_recognised() -> None:
    """A character that is no mark itself but decomposes into marks would evade the limit."""
    every = (chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)
    apart = {c: unicodedata.normalize("NFKD", c)[0] for c in every}
    assert [hex(ord(c)) for c, first in apart.items() if (unicodedata.combining(first) > 0) != is_mark(c)] == []
