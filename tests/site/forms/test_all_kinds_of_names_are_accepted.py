import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from portal.contract.bounds import NAME_MAX
from portal.site.forms.fields import text
from portal.site.forms.fields.refusal import FieldError, Refused


def why(typed: str) -> FieldError:
    with pytest.raises(Refused) as caught:
        text.required(typed, longest=NAME_MAX)
    return caught.value.reason


@pytest.mark.parametrize(
    "name",
    [
        "José",
        "O'Brien",
        "李小龙",
        "Sukarno",
        "عبد الرحمن",
        "\u200fמשה\u200f",  # a directional mark, which reorders nothing
        "علی\u200cرضا",  # a joiner that is part of the spelling
        "क्\u200dष",
        "N" * 100,
        "👩" * 50,
    ],
)
def test_a_name_is_accepted_as_its_owner_writes_it(name: str) -> None:
    assert text.required(name, longest=NAME_MAX) == unicodedata.normalize("NFC", name)


def test_a_separate_accent_is_composed_before_the_length_is_checked() -> None:
    assert text.required("e\u0301" * 100, longest=NAME_MAX) == "é" * 100


def test_surrounding_space_is_removed_before_the_length_is_checked() -> None:
    assert text.required("\u00a0 \t" + "a" * 100 + "\u3000\n", longest=NAME_MAX) == "a" * 100


@pytest.mark.parametrize("name", ["N" * 101, "👩" * 51], ids=["101 code points", "51 emoji are 102 UTF-16 units"])
def test_a_name_over_the_limit_is_rejected_by_either_way_of_counting(name: str) -> None:
    assert why(name) is FieldError.TOO_LONG


@pytest.mark.parametrize("name", ["", "   ", "\u200b", "\u200d\u2060 "])
def test_a_name_without_visible_characters_is_rejected(name: str) -> None:
    assert why(name) is FieldError.MISSING


@pytest.mark.parametrize(
    "char", ["\x00", "\x1b", "\n", "\t", "\x85", "\u2028", "\u202e", "\u202a", "\u2066", "\u2069", "\ud800"], ids=ascii
)
def test_invisible_characters_that_change_the_display_are_rejected(char: str) -> None:
    assert why(f"Ad{char}a") is FieldError.INVISIBLE


@pytest.mark.parametrize("raw", [b"Jos\xe9", b"\xff\xfe", b"\xed\xa0\x80", b"\xc0\xaf"], ids=repr)
def test_invalid_utf8_is_rejected_and_the_rest_can_be_shown(raw: bytes) -> None:
    assert why(text.decode(raw)) is FieldError.NOT_UTF8
    assert text.decode(b"Jos\xe9") == "Jos\ufffd"


@given(st.text(max_size=150))
def test_an_accepted_name_fits_both_ways_of_counting_and_is_accepted_again_unchanged(typed: str) -> None:
    try:
        taken = text.required(typed, longest=NAME_MAX)
    except Refused:
        assume(False)
    assert len(taken) <= NAME_MAX
    assert len(taken.encode("utf-16-le")) // 2 <= NAME_MAX
    assert taken == taken.strip() == unicodedata.normalize("NFC", taken)
    assert text.required(taken, longest=NAME_MAX) == taken


@given(st.text(st.characters(categories=["L", "N", "S"]), min_size=1, max_size=120))
def test_visible_text_is_rejected_only_for_its_length(typed: str) -> None:
    assume("\ufffd" not in typed)
    normal = unicodedata.normalize("NFC", typed)
    try:
        assert text.required(typed, longest=NAME_MAX) == normal
    except Refused as refused:
        assert refused.reason is FieldError.TOO_LONG  # noqa: PT017  the property is about the reason
        assert len(normal.encode("utf-16-le")) // 2 > NAME_MAX


@given(st.text())
def test_redisplayed_text_is_valid_in_a_page(typed: str) -> None:
    shown = text.displayable(typed)
    assert len(shown) == len(typed)
    shown.encode("utf-8")
    assert not any(unicodedata.category(char) == "Cc" for char in shown)
