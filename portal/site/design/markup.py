"""The only module that marks text as HTML which Jinja does not escape."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup, escape  # noqa: TID251  the only module that may

from portal.site.words.locale import direction

if TYPE_CHECKING:
    from markdown_it.token import Token

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


@dataclass(frozen=True, slots=True)
class MarkdownPage:
    """A page of the manual as HTML. sections: its second-level headings as (anchor, text)."""

    title: str
    body: Markup
    anchors: frozenset[str]
    sections: tuple[tuple[str, str], ...]


def markdown_page(text: str, link: Callable[[str], str | None]) -> MarkdownPage:
    """Render a page of this product's own manual; HTML in it, and its pictures, are left out.

    link: the target of a link as written → the address it gets, or None: then only its words remain.
    """
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    tokens, headings = parser.parse(text), dict[str, tuple[str, str]]()
    for place, token in enumerate(tokens):
        token.children = _inline(token.children or [], link)
        if token.type == "heading_open":
            words = "".join(child.content for child in tokens[place + 1].children or [])
            anchor = re.sub(r"[^\w -]", "", words.lower()).replace(" ", "-")
            token.attrSet("id", anchor)
            headings[anchor] = (token.tag, words)
    body = parser.renderer.render([one for one in tokens if one.type != "html_block"], parser.options, {})
    # What is too wide scrolls by keyboard too; many regions of one name would only be noise, so they are groups.
    body = body.replace("<pre>", '<pre role="group" tabindex="0" aria-label="Code">')
    body = _TABLE.sub('<div class="wide" role="group" tabindex="0" aria-label="Table"><table', body)
    body = body.replace("</table>", "</table></div>").replace("<th></th>", "<td></td>")
    return MarkdownPage(
        next((words for tag, words in headings.values() if tag == "h1"), ""),
        Markup(body),  # noqa: S704  its text is escaped by the renderer, and no HTML of its source is in it
        frozenset(headings),
        tuple((anchor, words) for anchor, (tag, words) in headings.items() if tag == "h2"),
    )


def _inline(tokens: "list[Token]", link: Callable[[str], str | None]) -> "list[Token]":
    found, is_dead = [], False
    for token in tokens:
        if token.type == "link_open":
            address = link(str(token.attrGet("href") or ""))
            is_dead = address is None
            token.attrSet("href", address or "")
        dropped = token.type in {"html_inline", "image"} or (is_dead and token.type in {"link_open", "link_close"})
        if not dropped:
            found.append(token)
    return found
