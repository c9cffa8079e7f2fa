"""HTML from outside → the same HTML with bare tags, or the news that parsing it would take long.

A parser of HTML 5 takes time with the square of how deep tags are nested, of how many formatting tags are left open, of
how much stands in a table where nothing may stand, and of how many attributes a tag has. So attributes that are not
kept go first, and tags are followed on a stack as a parser does it. Every pattern here is possessive: each character is
looked at a bounded number of times.
"""

import re
from collections.abc import Iterator


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SPACE = r"[\t\n\f\r ]"
_VALUE = r"""(?:"[^"]*+"?|'[^']*+'?|[^\t\n\f\r >"'][^\t\n\f\r >]*+)"""
_ATTRIBUTE = rf"[^\t\n\f\r />][^\t\n\f\r />=]*+(?:{_SPACE}*+={_SPACE}*+{_VALUE}?+)?+"
_MARKUP = re.compile(
    r"<!--(?:-?>|.*?(?:--!?>|\Z))|<[!?][^>]*+>?"
    rf"|<(?P<end>/?)(?P<name>[a-zA-Z][^\t\n\f\r />]*+)(?P<attributes>(?:[\t\n\f\r /]++|{_ATTRIBUTE})*+)>?",
    re.DOTALL,
)
_KEPT = re.compile(rf"(?P<name>[^\t\n\f\r />][^\t\n\f\r />=]*+)(?P<value>{_SPACE}*+={_SPACE}*+{_VALUE}?+)?+")
_ATTRIBUTES = {"a": {"href"}, "td": {"colspan", "rowspan"}, "th": {"colspan", "rowspan"}}
_RAW = {
    name: re.compile(rf"</{name}(?=[\t\n\f\r />])", re.IGNORECASE)
    for name in _names("script style title textarea xmp iframe noembed noframes noscript plaintext")
}
"""Up to their end tag everything is text."""

_DEEPEST = 200
_WORK = 3_000_000
"""Steps on the stack; a parser makes about as many, in a tenth of a second."""
_REBUILT = 20
"""Steps for a formatting tag that is opened anew because it was not closed before its block ended."""
_ALIKE_MOST = 3
"""Formatting tags that are alike are opened anew so often at most, whatever is open (HTML 5, 13.2.4.3)."""

_VOID = _names("area base basefont bgsound br col embed frame hr image img input link meta param source track wbr")
_FORMATTING = _names("a b big code em font i nobr s small strike strong tt u")
_ROWS = _names("table tbody tfoot thead tr")
_TABLE_PARTS = _names("caption colgroup col tbody tfoot thead tr td th table")
_IN_ROWS = _TABLE_PARTS | {"style", "script", "template", "input", "form"}
_HEADINGS = _names("h1 h2 h3 h4 h5 h6")
_SCOPE = _names("applet caption table td th marquee object template svg math foreignobject")
_BLOCKS = (
    _names(
        "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header"
        " hgroup main menu nav ol p section summary ul pre listing form li dd dt table plaintext search"
    )
    | _HEADINGS
)
_SPECIAL = _BLOCKS | _SCOPE | _VOID | frozenset(_RAW) | _TABLE_PARTS | {"select", "button", "body", "html", "head"}
_ENDS_LIKE = {"li": {"ul", "ol"}, "dd": {"dl"}, "dt": {"dl"}, "option": {"select"}, "rt": {"ruby"}, "rp": {"ruby"}}
"""A tag that ends the one before it of its kind, up to what both stand in."""


class TooInvolved(Exception):
    """Parsing it would take long."""


def bare(text: str) -> str:
    """The same tags without attributes, but those that are kept of links and table cells. Raises TooInvolved."""
    return "".join(_pieces(text))


def _pieces(text: str) -> Iterator[str]:
    nesting, at = _Nesting(), 0
    while markup := _MARKUP.search(text, at):
        before, at = text[at : markup.start()], markup.end()
        yield before
        name = (markup["name"] or "").lower()
        if not name:
            yield markup[0]
            continue
        if text[at - 1] != ">":
            return  # the text ended within a tag, which is none then
        if before and not before.isspace():
            nesting.fill()
        if markup["end"]:
            nesting.close(name)
            yield f"</{markup['name']}>"
            continue
        nesting.open(name)
        yield f"<{markup['name']}{_attributes(name, markup['attributes'])}>"
        if name in _RAW:
            nesting.close(name)
            end = _RAW[name].search(text, at)
            yield text[at : end.start() if end else len(text)]
            at = end.start() if end else len(text)
    yield text[at:]


def _attributes(name: str, written: str) -> str:
    found: dict[str, str] = {}
    for attribute in _KEPT.finditer(written) if name in _ATTRIBUTES else ():
        if attribute["value"] and (kept := attribute["name"].lower()) in _ATTRIBUTES[name]:
            found.setdefault(kept, f" {attribute[0]}")
    return "".join(found.values()) + ("/" if written.endswith("/") and not found else "")


class _Nesting:
    """What is open, near enough to what a parser has open, and how much work it had."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._loose: dict[str, int] = {}
        self._misplaced = 0
        self._work = 0

    def fill(self) -> None:
        """Text."""
        self._work_on(_REBUILT * sum(self._loose.values()))
        self._place("")

    def open(self, name: str) -> None:
        """A start tag."""
        self._work_on(len(self._open) + _REBUILT * sum(self._loose.values()))
        if name in _BLOCKS:
            self._end({"p"}, _SCOPE | {"button"})
        if name in _ENDS_LIKE:
            self._end({"dd", "dt"} if name in {"dd", "dt"} else {name}, _SCOPE | _ENDS_LIKE[name])
        elif name in _TABLE_PARTS and name != "table":
            self._end(_inside(name), {"table", "template"})
        elif name in {"a", "nobr"}:
            self._take_out(name)
        elif name == "button":
            self._end({name}, _SCOPE)
        self._place(name)
        if name not in _VOID:
            self._open.append(name)
            if len(self._open) > _DEEPEST:
                raise TooInvolved

    def close(self, name: str) -> None:
        """An end tag."""
        if name in _FORMATTING:
            if not self._take_out(name) and self._loose.get(name):
                self._loose[name] -= 1
        elif name == "form":
            self._take_out(name)
        elif name in _TABLE_PARTS:
            self._end({name}, {"template"} if name == "table" else {"table", "template"})
        elif name in _BLOCKS:
            within = _ENDS_LIKE.get(name, {"button"} if name == "p" else set())
            self._end(_HEADINGS if name in _HEADINGS else {name}, _SCOPE | within)
        else:
            self._end({name}, _SPECIAL - {name})

    def _place(self, name: str) -> None:
        if self._open and self._open[-1] in _ROWS and name not in _IN_ROWS:
            # It is put before the table, behind everything that was put there before.
            self._misplaced += 1
            self._work_on(self._misplaced)

    def _end(self, names: set[str] | frozenset[str], within: set[str] | frozenset[str]) -> None:
        """End the innermost of these and what is open in it, unless one of `within` is nearer."""
        for place in range(len(self._open) - 1, -1, -1):
            if self._open[place] in names:
                for ended in self._open[place + 1 :]:
                    if ended in _FORMATTING:
                        self._loose[ended] = min(self._loose.get(ended, 0) + 1, _ALIKE_MOST)
                del self._open[place:]
                return
            if self._open[place] in within:
                return
            self._work_on(1)

    def _take_out(self, name: str) -> bool:
        for place in range(len(self._open) - 1, -1, -1):
            if self._open[place] == name:
                del self._open[place]
                return True
            if self._open[place] in _SCOPE:
                return False
            self._work_on(1)
        return False

    def _work_on(self, steps: int) -> None:
        self._work += steps
        if self._work > _WORK:
            raise TooInvolved


def _inside(name: str) -> set[str]:
    """What a part of a table ends where it begins."""
    if name in {"td", "th"}:
        return {"td", "th"}
    return {"tr"} if name == "tr" else {"tbody", "tfoot", "thead", "caption", "colgroup"}
