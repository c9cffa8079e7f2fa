"""The one place where text becomes HTML that Jinja does not escape."""

import re

from markupsafe import Markup, escape  # noqa: TID251  this is the one place

from portal.web.locale import direction

_HEADING = re.compile(r"<(/?)h([1-6])\b")
_DEAD_LINK = re.compile(r'<a(?: rel="[^"]*")?>(.*?)</a>', re.DOTALL)
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_TABLE = re.compile(r"<table\b")
_IN_DATA = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"})
"""Signs that end a script element, or a line of JavaScript, as JSON may write them instead."""
_REGION = '<div class="wide" role="region" tabindex="0" aria-label="{label}"><table'


def description(sanitised: str, *, table_label: str) -> Markup:
    """A posting's description, which vacancies/ cleaned with an explicit list when it came in.

    The cleaner writes tags in one way only (lower case, no space), so patterns are enough to fit it to the page: its
    headings follow the page's own, a link whose address was taken away is words again, and a table scrolls in a region
    that the keyboard reaches.
    """
    levels = {int(level) for _, level in _HEADING.findall(sanitised)}
    shift = 2 - min(levels) if levels else 0
    text = _HEADING.sub(lambda m: f"<{m[1]}h{min(int(m[2]) + shift, 6)}", sanitised)
    text = _DEAD_LINK.sub(r"\1", text)
    if "<table" in text:
        text = _TABLE.sub(_REGION.format(label=escape(table_label)), text).replace("</table>", "</table></div>")
    return Markup(text)  # noqa: S704  sanitised at ingestion


def highlighted(text: str, marks: tuple[tuple[int, int], ...]) -> Markup:
    """Plain text with ranges of code points marked; ranges that overlap or leave the text are clipped."""
    parts: list[Markup] = []
    place = 0
    for start, end in sorted(marks):
        first, last = max(start, place), min(end, len(text))
        if first < last:
            parts += [escape(text[place:first]), Markup("<mark>") + text[first:last] + Markup("</mark>")]
            place = last
    return Markup().join([*parts, escape(text[place:])])


def other_language(language: str, page: str) -> Markup:
    """Attributes for text whose language is not the page's, so that it is read out, hyphenated and set as its own."""
    if language == page.partition("-")[0] or not _LANGUAGE.fullmatch(language):
        return Markup()
    return Markup(' lang="{}" dir="{}"').format(language, direction(language))


def data_block(text: str) -> Markup:
    """JSON for a script element that holds data: nothing in it can end the element, open a comment, or be an entity."""
    return Markup(text.translate(_IN_DATA))  # noqa: S704  no sign that HTML knows is left
