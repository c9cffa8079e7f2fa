"""A job's description: the Markdown that a colleague writes ↔ the HTML that the vacancy's record has (§2.3).

Headings, lists, bold, italics, links and paragraphs have a form in both. Anything else of HTML is reduced to its text.
"""

import re
from html.parser import HTMLParser

from markdown_it import MarkdownIt

from portal.jobs.text import cleaning

_PARSER = MarkdownIt("commonmark", {"html": False}).disable("image")
_SIGNS = re.compile(r"([\\`*_\[\]<]|&(?=#?\w+;))")
_AT_START = re.compile(r"^([#>+=-]|\d{1,9}(?=[.)]))")
_AROUND = {"strong": "**", "b": "**", "em": "*", "i": "*"}
_BLOCKS = {"p", "ul", "ol", "table", "blockquote", "pre", "hr", "tr"}


def html_of(markdown: str) -> str:
    """Return the description for the record: cleaned by the portal's own rules. HTML in the text is shown as text."""
    return cleaning.SHARED.clean(_PARSER.render(markdown), whose="a job") if markdown.strip() else ""


def markdown_of(description: str) -> str:
    """Return Markdown for a description of a record, which is HTML as recruiters pasted it, for editing."""
    reader = _MarkdownWriter()
    reader.feed(cleaning.SHARED.clean(description, whose="a job"))
    text = re.sub(r"[ \t]+\n", "\n", "".join(reader.parts))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


class _MarkdownWriter(HTMLParser):
    """Writes Markdown for cleaned HTML."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._lists: list[int | None] = []
        self._links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in {"ul", "ol"}:
            self._block()
            self._lists.append(1 if tag == "ol" else None)
        elif tag == "li":
            number = self._lists[-1] if self._lists else None
            if number is not None:
                self._lists[-1] = number + 1
            self._line("- " if number is None else f"{number}. ")
        elif tag in {"h3", "h4"}:
            self._block()
            self.parts.append("#" * (int(tag[1]) - 1) + " ")
        elif tag in _BLOCKS:
            self._block()
        elif tag == "br":
            self.parts.append("\\\n" + self._indent())
        elif tag == "a":
            self._links.append(dict(attrs).get("href") or "")
            self.parts.append("[")
        else:
            self.parts.append(_AROUND.get(tag, ""))

    def handle_endtag(self, tag: str) -> None:
        if tag in {"ul", "ol"} and self._lists:
            self._lists.pop()
        if tag == "a" and self._links:
            address = re.sub(r"([\\<>()])", r"\\\1", self._links.pop())
            self.parts.append(f"]({address})")
        elif tag in _BLOCKS or tag in {"h3", "h4"}:
            self._block()
        else:
            self.parts.append(_AROUND.get(tag, ""))

    def handle_data(self, data: str) -> None:
        text = _SIGNS.sub(r"\\\1", re.sub(r"\s+", " ", data))
        if not self.parts or self.parts[-1].endswith("\n"):
            text = _AT_START.sub(_escaped, text.lstrip())
        self.parts.append(text)

    def _indent(self) -> str:
        return "   " * len(self._lists)

    def _block(self) -> None:
        """Start a paragraph; in a list, a line."""
        if not self._lists:
            self.parts.append("\n\n")

    def _line(self, mark: str) -> None:
        self.parts.append(f"\n{'   ' * (len(self._lists) - 1)}{mark}")


def _escaped(found: re.Match[str]) -> str:
    return f"{found[1]}\\" if found[1].isdigit() else f"\\{found[1]}"
