"""Finds where a description starts to be informative: after its title, headings, and text about the company.

Also finds its sections, because a heading in the middle of an excerpt would look like a part of a sentence.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from portal.jobs.search.folding import folded
from portal.jobs.text.cleaning import plain

_LOOKED_AT = 12
"""Blocks; if none of these is informative, the summary starts at the beginning."""
_FARTHEST = 1_000
_LONGEST_HEADING = 120
_BLOCK = re.compile(
    r"<(?P<heading>h[34])>(?P<heading_text>.*?)</(?P=heading)>"
    r"|<p>(?P<paragraph>.*?)</p>"
    r"|<(?P<rest>ul|ol|table|blockquote|pre)\b"
    r"|(?P<bare>[^<\s](?:[^<]|<(?!/?(?:br|p|h[34]|ul|ol|table|blockquote|pre|hr)\b))*+)",
    re.DOTALL,
)
_BOLD = re.compile(r"\s*<(strong|b)>(?:(?!</\1>).)*</\1>[\s:]*", re.DOTALL)
_BREAK = re.compile(
    r"<(?P<heading>h[34])>.*?</(?P=heading)>"
    r"|(?:\A|<p>|<br>|</p>|</[uo]l>)\s*<(?P<bold>b|strong)>(?:(?!</(?P=bold)>|<br>).){1,160}</(?P=bold)>"
    r"[\s:]*(?:</p>|(?=<br>|<[uo]l\b|<table\b))"
    r"|<p>(?:(?!</p>|<br>).){1,160}(?::</p>|</p>(?=\s*<(?:ul|ol|table)\b))"
    r"|(?=<(?:ul|ol|table|blockquote|pre)\b)",
    re.DOTALL,
)
"""A heading, a line that looks like one (in bold, with a colon, or before a list), or the start of a list."""
_ENDS_A_SENTENCE = re.compile(r"[.!?…؟。][\"'”»“)]*$")
_SENTENCE = re.compile(r"[.!?…؟。][\"'”»“)]*(\s|$)")
_ABOUT = re.compile(
    r"about\b|who we are|(das sind|über) (wir|uns)\b|wer wir sind|(a|à) propos|qui (sommes|nous)|chi siamo|sobre |"
    r"quiénes somos|over ons|wie (zijn )?wij|o nas\b|kim jesteśmy|(من نحن|نبذة عن|عن الشركة)"
)
_WORD = re.compile(r"[^\W_]+")

_KEPT = 128
"""Descriptions whose opening and sections are cached: different searches list the same jobs."""


@lru_cache(maxsize=_KEPT)
def opening(description: str, title: str) -> int:
    """Return the index in plain(description) of the first informative sentence. description: cleaned."""
    second_best: re.Match[str] | None = None
    is_about = False
    for block in _blocks(description):
        text = _text(block)
        if _is_heading(block, text):
            is_about = bool(_ABOUT.match(text.lower()))
        elif text and not _repeats(text, title):
            if not is_about and (block["rest"] or _SENTENCE.search(text) or len(text) > _LONGEST_HEADING):
                return _index(description, block)
            second_best = second_best or block
    return _index(description, second_best) if second_best else 0


@lru_cache(maxsize=_KEPT)
def sections(description: str, farthest: int) -> tuple[tuple[int, int], ...]:
    """Return the ranges in plain(description) between headings and before lists, up to the one that has `farthest`.

    description: cleaned.
    """
    found: list[tuple[int, int]] = []
    start = passed = after = 0
    for each in _BREAK.finditer(description):
        text = plain(each[0])
        if text and not each["heading"] and _ENDS_A_SENTENCE.search(text):
            continue
        passed = _joined(passed, plain(description[after : each.start()]))
        found.append((start, passed))
        if passed > farthest:
            return tuple(found)
        after, passed = each.end(), _joined(passed, text)
        start = passed + 1 if passed else 0
    return (*found, (start, _joined(passed, plain(description[after:]))))


def _joined(length: int, text: str) -> int:
    """Return the length of a text after a space and another text are added to it."""
    return length + len(text) + (1 if length and text else 0)


def without_title(description: str, title: str) -> str:
    """Return the cleaned description without a first line that only repeats its title."""
    first = next(_blocks(description), None)
    if first and _is_heading_or_line(first) and (text := _text(first)) and _repeats(text, title):
        return (description[: first.start()] + description[first.end() :]).strip().removeprefix("<br>").lstrip()
    return description


def _blocks(description: str) -> Iterator[re.Match[str]]:
    for number, block in enumerate(_BLOCK.finditer(description)):
        if number == _LOOKED_AT:
            return
        yield block


def _text(block: re.Match[str]) -> str:
    return plain(block["heading_text"] or block["paragraph"] or block["bare"] or (block["rest"] and "…") or "")


def _is_heading_or_line(block: re.Match[str]) -> bool:
    return block["rest"] is None and "<br>" not in block[0]


def _is_heading(block: re.Match[str], text: str) -> bool:
    """Return whether a block is a heading or looks like one: short, no sentence, and bold or ending in a colon."""
    if block["heading"]:
        return True
    if block["rest"] or len(text) > _LONGEST_HEADING or _ENDS_A_SENTENCE.search(text):
        return False
    return text.endswith(":") or bool(_BOLD.fullmatch(block["paragraph"] or block["bare"] or ""))


def _repeats(text: str, title: str) -> bool:
    """Return whether the title contains every word of the text, so that the text can be left out."""
    if len(text) > 2 * _LONGEST_HEADING or _ENDS_A_SENTENCE.search(text):
        return False
    return set(_WORD.findall(folded(text))) <= set(_WORD.findall(folded(title)))


def _index(description: str, block: re.Match[str]) -> int:
    before = plain(description[: block.start()])
    return len(before) + 1 if 0 < len(before) < _FARTHEST else 0
