"""The only module that marks text as HTML which Jinja does not escape."""

import re

from markupsafe import Markup, escape  # noqa: TID251  the only module that may

from portal.site.words.locale import direction

_HEADING = re.compile(r"<(/?)h([1-6])\b")
_DEAD_LINK = re.compile(r'<a(?: rel="[^"]*")?>(.*?)</a>', re.DOTALL)
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_TABLE = re.compile(r"<table\b")
_IN_DATA = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"})
"""Characters that end a script element or a line of JavaScript → their JSON escapes."""
_REGION = '<div class="wide" role="region" tabindex="0" aria-label="{label}"><table'


def description(sanitised: str, *, table_label: str) -> Markup:
    """Return a posting's description, which portal/jobs/text sanitised with an allow-list at ingestion.

    The sanitiser writes tags in one way only (lower case, no space), so patterns are enough to fit it to the page: its
    headings continue the page's own, a link whose address was removed becomes plain text, and a table scrolls in a
    region that the keyboard can reach.
    """
    levels = {int(level) for _, level in _HEADING.findall(sanitised)}
    shift = 2 - min(levels) if levels else 0
    text = _HEADING.sub(lambda m: f"<{m[1]}h{min(int(m[2]) + shift, 6)}", sanitised)
    text = _DEAD_LINK.sub(r"\1", text)
    if "<table" in text:
        text = _TABLE.sub(_REGION.format(label=escape(table_label)), text).replace("</table>", "</table></div>")
    return Markup(text)  # noqa: S704  sanitised at ingestion


def highlighted(text: str, marks: tuple[tuple[int, int], ...]) -> Markup:
    """Return plain text with ranges of code points marked; ranges that overlap or leave the text are clipped."""
    parts: list[Markup] = []
    place = 0
    for start, end in sorted(marks):
        first, last = max(start, place), min(end, len(text))
        if first < last:
            parts += [escape(text[place:first]), Markup("<mark>") + text[first:last] + Markup("</mark>")]
            place = last
    return Markup().join([*parts, escape(text[place:])])


def other_language(language: str, page: str) -> Markup:
    """Return the attributes of text in another language, for screen readers, hyphenation and text direction."""
    if language == page.partition("-")[0] or not _LANGUAGE.fullmatch(language):
        return Markup()
    return Markup(' lang="{}" dir="{}"').format(language, direction(language))


def data_block(text: str) -> Markup:
    """Return JSON for a script element of data: nothing in it can end the element, open a comment, or be an entity."""
    return Markup(text.translate(_IN_DATA))  # noqa: S704  no character special to HTML is left
