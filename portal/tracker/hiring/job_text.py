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
_SIGNS = re.compile(r"([\\`*_\[\]<]|&(?=#?\w+;))")
_AT_START = re.compile(r"^(?:(\d{1,9})(?=[.)])|(?=[#>+=-]))")
_AROUND = {"strong": "**", "b": "**", "em": "*", "i": "*"}
_BLOCKS = {"p": "", "h3": "## ", "h4": "### ", "table": "", "blockquote": "", "pre": "", "hr": "", "tr": ""}


def html_of(markdown: str) -> str:
    """Return the description for the record: cleaned by the portal's own rules. HTML in the text is shown as text."""
    return cleaning.SHARED.clean(_PARSER.render(markdown), whose="a job") if markdown.strip() else ""


def markdown_of(description: str) -> str:
    """Return Markdown for a description of a record, which is HTML as recruiters pasted it, for editing."""
    written = [""]
    lists: list[int] = []  # around the current place: how many entries of a numbered one there are; -1: not numbered
    links: list[str] = []
    for piece in _TAG.split(cleaning.SHARED.clean(description, whose="a job")):
        found = _NAME.match(piece)
        if said := _tag(found, lists, links) if found else _text(piece, written[-1]):
            written.append(said)
    text = re.sub(r"[ \t]+\n", "\n", "".join(written))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _tag(found: re.Match[str], lists: list[int], links: list[str]) -> str:
    """Return what Markdown has in place of a tag; lists, links: those that are open."""
    ends, name = bool(found[1]), found[2]
    if name in {"ul", "ol"}:
        outer = lists[:-1] if ends else lists[:]
        lists[:] = outer if ends else [*outer, 0 if name == "ol" else -1]
        return "" if outer else "\n\n"
    if name == "li" and lists and not ends:
        lists[-1] += lists[-1] >= 0
        return f"\n{'   ' * (len(lists) - 1)}{f'{lists[-1]}.' if lists[-1] > 0 else '-'} "
    if name == "br":
        return "\\\n" + "   " * len(lists)
    if name == "a":
        if not ends:
            links.append(re.sub(r"([\\<>()])", r"\\\1", html.unescape(found[3] or "")))
        return f"]({links.pop()})" if ends else "["
    if name in _BLOCKS:
        return ("" if lists else "\n\n") + ("" if ends else _BLOCKS[name])
    return _AROUND.get(name, "")


def _text(piece: str, before: str) -> str:
    """Return text in which nothing is a sign of Markdown."""
    text = _SIGNS.sub(r"\\\1", re.sub(r"\s+", " ", html.unescape(piece)))
    return text if before and not before.endswith("\n") else _AT_START.sub(r"\1\\", text.lstrip())
