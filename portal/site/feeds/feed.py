"""What a feed is: a name, a media type, and a generator that turns open jobs into text.

A new feed is one module in formats/. Here is also what several of them write: lists of JSON, elements of XML.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from xml.sax.saxutils import escape, quoteattr

from portal.jobs.posting import Posting
from portal.tenants.addresses import Addresses
from portal.tenants.model import Tenant


@dataclass(frozen=True, slots=True)
class FeedContext:
    """Whose jobs a feed lists. site: absolute links in the tenant's first language. changed_at: of open jobs, UTC."""

    tenant: Tenant
    site: Addresses
    changed_at: datetime


def _no_problems(_context: FeedContext, _posting: Posting) -> list[str]:
    return []


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed. name: of its file, and of its address below the tenant's. write: yields pieces of any size.

    problems: returns why a reader of the feed would not accept a job, each a phrase for operators. leaves_out: whether
    the feed omits such jobs. https_for: the reader that accepts only https addresses, "" if none does.
    """

    name: str
    media_type: str
    write: Callable[[FeedContext, Iterable[Posting]], Iterator[str]]
    problems: Callable[[FeedContext, Posting], list[str]] = _no_problems
    leaves_out: bool = False
    https_for: str = ""


def json_array_items(items: Iterable[str]) -> Iterator[str]:
    """Yield the pieces of a JSON array, without its brackets."""
    between = ""
    for item in items:
        yield between + item
        between = ",\n"


_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ENTITY = re.compile(r"&(?=#?\w{1,40};)")
_LESS = re.compile(r"&lt;(?=[A-Za-z/!?])")


def strip_illegal_xml(text: str) -> str:
    """Remove control characters, lone surrogates and non-characters."""
    return _ILLEGAL.sub("", text)


def element(name: str, text: str | None, attributes: str = "") -> str:
    """Return an escaped element; "" without a text. attributes: already written, each after a space."""
    return f"<{name}{attributes}>{escape(strip_illegal_xml(text))}</{name}>" if text else ""


def attribute(name: str, value: str) -> str:
    """Return an escaped attribute, after a space."""
    return f" {name}={quoteattr(strip_illegal_xml(value))}"


def cdata(name: str, text: str | None) -> str:
    """Return an element with the text as CDATA; "" without a text. A "]]>" in it is split over two sections."""
    return f"<{name}><![CDATA[{strip_illegal_xml(text).replace(']]>', ']]]]><![CDATA[>')}]]></{name}>" if text else ""


def without_entities(html: str) -> str:
    """Return HTML of the same meaning without entities, for readers that know none.

    A character that would then begin a tag or an entity gets a space after it.
    """
    html = _LESS.sub("< ", html).replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", "\u00a0")
    return break_entities(html.replace("&quot;", "”").replace("&amp;", "&"))


def break_entities(text: str) -> str:
    """Return text in which nothing looks like an entity: an "&" that would begin one gets a space after it."""
    return _ENTITY.sub("& ", text)
