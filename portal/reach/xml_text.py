"""Text as XML 1.0 can bear it: what it knows no character for is left out."""

import re
from xml.sax.saxutils import escape, quoteattr

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ENTITY = re.compile(r"&(?=#?\w{1,40};)")
_LESS = re.compile(r"&lt;(?=[A-Za-z/!?])")


def legal(text: str) -> str:
    """Without control characters, lone surrogates and what is no character."""
    return _ILLEGAL.sub("", text)


def element(name: str, text: str | None, attributes: str = "") -> str:
    """Escaped; "" where there is no text. attributes: as they are written, with a space before."""
    return f"<{name}{attributes}>{escape(legal(text))}</{name}>" if text else ""


def attribute(name: str, value: str) -> str:
    """With a space before."""
    return f" {name}={quoteattr(legal(value))}"


def cdata(name: str, text: str | None) -> str:
    """An element around text as it is; "" where there is none. What would end it is cut in two."""
    return f"<{name}><![CDATA[{legal(text).replace(']]>', ']]]]><![CDATA[>')}]]></{name}>" if text else ""


def without_entities(html: str) -> str:
    """HTML that means the same and has no entity, for who reads none.

    A sign that would then begin a tag or an entity gets a space behind it.
    """
    html = _LESS.sub("< ", html).replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", "\u00a0")
    return apart(html.replace("&quot;", "”").replace("&amp;", "&"))


def apart(text: str) -> str:
    """Text in which nothing looks like an entity: a sign that would begin one gets a space behind it."""
    return _ENTITY.sub("& ", text)
