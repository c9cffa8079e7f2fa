"""Text for XML 1.0: characters that it does not allow are left out."""

import re
from xml.sax.saxutils import escape, quoteattr

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ENTITY = re.compile(r"&(?=#?\w{1,40};)")
_LESS = re.compile(r"&lt;(?=[A-Za-z/!?])")


def legal(text: str) -> str:
    """Remove control characters, lone surrogates and non-characters."""
    return _ILLEGAL.sub("", text)


def element(name: str, text: str | None, attributes: str = "") -> str:
    """Return an escaped element; "" without a text. attributes: already written, each after a space."""
    return f"<{name}{attributes}>{escape(legal(text))}</{name}>" if text else ""


def attribute(name: str, value: str) -> str:
    """Return an escaped attribute, after a space."""
    return f" {name}={quoteattr(legal(value))}"


def cdata(name: str, text: str | None) -> str:
    """Return an element with the text as CDATA; "" without a text. A "]]>" in it is split over two sections."""
    return f"<{name}><![CDATA[{legal(text).replace(']]>', ']]]]><![CDATA[>')}]]></{name}>" if text else ""


def without_entities(html: str) -> str:
    """Return HTML of the same meaning without entities, for readers that know none.

    A character that would then begin a tag or an entity gets a space after it.
    """
    html = _LESS.sub("< ", html).replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", "\u00a0")
    return break_entities(html.replace("&quot;", "”").replace("&amp;", "&"))


def break_entities(text: str) -> str:
    """Return text in which nothing looks like an entity: an "&" that would begin one gets a space after it."""
    return _ENTITY.sub("& ", text)
