"""A job's description: the Markdown that a colleague writes ↔ the HTML that the vacancy's record has (§2.3).

Headings, lists, bold, italics, links and paragraphs have a form in both. Anything else of HTML is reduced to its text.
"""

import html
import re

from markdown_it import MarkdownIt

from portal.jobs.text import cleaning

_PARSER = MarkdownIt("commonmark", {"html": False}).disable("image")
_TAG = re.compile(r"(<[^<>]*>)")
_NAME = re.compile(r'<(/?)(\w+)(?: href="([^"]*)")?')
_SIGNS = re.compile(r"([\\`*_\[\]<]|&(?=#?\w+;)|(?<= )#(?=#*$))")
_START = re.compile(r"(?:^|\n)[ \t]*(?:(?:-|\d+\.|#+) )?\Z")
"""Matches Markdown that ends where the text of a line, a list item or a heading begins."""
_AT_START = re.compile(r"^(?:(\d{1,9})(?=[.)])|(?=[#>+=~-]))")
_AROUND = {"strong": "\x01\x02", "b": "\x01\x02", "em": "\x03\x04", "i": "\x03\x04"}
"""Control characters, which the text cannot contain, mark where bold and italics begin and end; \\x05 is around a
link."""
_CONTROL = re.compile(r"[\x00-\x20]+")
_POINTS = r"(?:\\?[^\w\s\x01-\x05]){1,9}"
_OPENING = re.compile(r"[\x01\x03](?:[\x01\x03\s]|\\\n){0,40}")
_ENDING = re.compile(r"(?:[\x02\x04\s]|\\\n){0,40}[\x02\x04]")
_INDENT = "    "
"""Indentation in a list item: deep enough below a two-digit number, and not deep enough for a code block."""
_BLOCKS = {"p": "", "h3": "## ", "h4": "### ", "table": "", "blockquote": "", "pre": "", "hr": "", "tr": ""}


def html_of(markdown: str) -> str:
    """Return the description for the record: cleaned by the portal's own rules. HTML in the text is shown as text."""
    return cleaning.SHARED.clean(_PARSER.render(markdown), whose="a job") if markdown.strip() else ""


def markdown_of(description: str) -> str:
    """Return Markdown for a description of a record, which is HTML as recruiters pasted it, for editing."""
    written = [""]
    lists: list[int] = []  # that are open: number of items so far in a numbered list; -1: not numbered
    links: list[str] = []
    for piece in _TAG.split(cleaning.SHARED.clean(description, whose="a job")):
        found = _NAME.match(piece)
        if markdown := _tag(found, lists, links) if found else _text(piece, written[-1]):
            written.append(markdown)
    text = re.sub(r"[ \t]+\n", "\n", _emphasized("".join(written)))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _tag(found: re.Match[str], lists: list[int], links: list[str]) -> str:
    """Return the Markdown for a tag; lists, links: those that are open."""
    ends, name = bool(found[1]), found[2]
    if name in {"ul", "ol"}:
        outer = lists[:-1] if ends else lists[:]
        lists[:] = outer if ends else [*outer, 0 if name == "ol" else -1]
        return "" if outer else "\n\n"
    if name == "li" and lists and not ends:
        lists[-1] += lists[-1] >= 0
        return f"\n{_INDENT * (len(lists) - 1)}{f'{lists[-1]}.' if lists[-1] > 0 else '-'} "
    if name == "br":
        return "\\\n" + _INDENT * len(lists)
    if name == "a":
        if not ends:
            links.append(re.sub(r"([\\<>()])", r"\\\1", _CONTROL.sub("%20", html.unescape(found[3] or ""))))
        return f"]({links.pop()})\x05" if ends else "\x05["
    if name in _BLOCKS:
        apart = "\n\n" + _INDENT * len(lists) if not lists or (name == "p" and ends) else ""
        return apart + ("" if ends else _BLOCKS[name])
    return _AROUND[name][ends] if name in _AROUND else ""


def _text(piece: str, before: str) -> str:
    """Return text with Markdown's special characters escaped."""
    text = _SIGNS.sub(r"\\\1", re.sub(r"[\s\x00-\x08]+", " ", html.unescape(piece)))
    return _AT_START.sub(r"\1\\", text.lstrip()) if _START.search(before) else text


def _emphasized(text: str) -> str:
    """Return the text with the markers of bold and italics moved to where Markdown recognises them.

    It does not recognise them beside a space or line break within them, between a letter and punctuation, or across
    blocks.
    """
    text = _OPENING.sub(lambda found: re.sub(r"[\x01\x03]", "", found[0]) + re.sub(r"[^\x01\x03]", "", found[0]), text)
    text = _ENDING.sub(lambda found: re.sub(r"[^\x02\x04]", "", found[0]) + re.sub(r"[\x02\x04]", "", found[0]), text)
    text = re.sub(r"\x02\x01|\x04\x03|\x01\x02|\x03\x04", "", text)
    text = re.sub(r"\x01([^\x01\x02]*\n\n[^\x02]*)\x02|\x03([^\x03\x04]*\n\n[^\x04]*)\x04", r"\1\2", text)
    text = re.sub(rf"(?<=\w)([\x01\x03]+)({_POINTS})", r"\2\1", text)
    text = re.sub(rf"({_POINTS})([\x02\x04]+)(?=\w)", r"\2\1", text)
    return re.sub(r"[\x01\x02]", "**", re.sub(r"[\x03\x04]", "*", text)).replace("\x05", "")
