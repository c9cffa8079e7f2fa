"""HTML as recruiters paste it → the little HTML that a job page shows, and its plain text.

Cleaned by nh3 with an explicit list: no class, style, id, image or frame survives, and no link but http, https and
mailto with a full address. What word processors leave behind (empty paragraphs, runs of no-break spaces, bullets
typed as signs) is taken out. Headings start at h3: the page has h1 and h2.
"""

import html
import re

import nh3

_ALLOWED = (
    "p br div h1 h2 h3 h4 h5 h6 ul ol li strong em b i u a table thead tbody tfoot tr th td caption"
    " blockquote code pre hr"
)
_TAGS = set(_ALLOWED.split())
_ATTRIBUTES = {"a": {"href"}, "td": {"colspan", "rowspan"}, "th": {"colspan", "rowspan"}}
_WITH_CONTENT = {"script", "style", "xml", "title", "template", "noscript", "iframe"}
_BLOCK = r"(?:p|h[34]|ul|ol|li|table|thead|tbody|tfoot|tr|th|td|caption|blockquote|pre|hr)"
_MOST = 200_000
_PLAIN_MOST = 6_000
_DEEPEST = 200

_SPACES = re.compile("(?:&nbsp;|\u00a0|[ \\t\\r\\f\\v\u2000-\u200a\u202f\u3000])+")
_INVISIBLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b\u2060\ufeff\ufffe\uffff]|&#0;")
_HEADING = re.compile(r"<(/?)h([1-6])>")
_EMPTY = re.compile(r"<(p|h[34]|strong|em|b|i|u|li|ul|ol|blockquote|pre|code|caption|a)(?: [^<>]*)?>(?:\s|<br>)*</\1>")
_BREAKS_AFTER = re.compile(rf"(</?{_BLOCK}(?: [^<>]*)?>)(?:\s*<br>)+")
_BREAKS_BEFORE = re.compile(rf"(?:<br>\s*)+(?=</?{_BLOCK}\b)")
_MANY_BREAKS = re.compile(r"<br>(?:\s*<br>){2,}")
_TYPED_BULLET = re.compile(r"<p>\s*(?:<(?:strong|b)>)?[·•▪◦‣§\uf0b7\uf0a7]\s*((?:(?!</p>).)*)</p>", re.DOTALL)
_TYPED_LIST = re.compile(r"(?:<li typed>(?:(?!</li>).)*</li>\s*)+", re.DOTALL)
_NESTING = re.compile(r"<(/?)(?!(?:p|li|td|th|tr|br|hr|img|o:p|col|input|meta|link|dd|dt|option)\b)[a-zA-Z]")
_ANY_TAG = re.compile(r"<[a-zA-Z!/][^<>]*>?")
_TAG = re.compile(r"<[^<>]*>")


def clean(text: str) -> str:
    """Safe HTML, or "" for nothing worth showing. What exceeds 200,000 characters is cut before it is cleaned."""
    text = _INVISIBLE.sub("", text[:_MOST]).replace("\r\n", "\n")
    if _too_deep(text):
        text = _ANY_TAG.sub(" ", text).replace("<", " ")
    if not re.search(r"<[a-zA-Z!/]", text):
        text = _paragraphs(text)
    safe = nh3.clean(
        text,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        clean_content_tags=_WITH_CONTENT,
        url_schemes={"http", "https", "mailto"},
        url_relative="deny",
        link_rel="nofollow noopener noreferrer",
    )
    return _tidy(_SPACES.sub(" ", safe))


def plain(safe: str) -> str:
    """The words of cleaned HTML in one line, at most 6,000 characters."""
    text = re.sub(rf"</?(?:{_BLOCK}|br)\b[^<>]*>", " ", safe[: 10 * _PLAIN_MOST])
    return " ".join(html.unescape(_TAG.sub("", text)).split())[:_PLAIN_MOST]


def _too_deep(text: str) -> bool:
    """Whether tags are nested as nobody nests them: parsing lists takes time with the square of their depth."""
    depth = 0
    for found in _NESTING.finditer(text):
        depth = max(0, depth + (-1 if found[1] else 1))
        if depth > _DEEPEST:
            return True
    return False


def _paragraphs(text: str) -> str:
    """Text without any tag: empty lines part paragraphs, line ends are kept."""
    parts = re.split(r"\n\s*\n", text)
    return "".join(f"<p>{'<br>'.join(part.strip().splitlines())}</p>" for part in parts if part.strip())


def _tidy(text: str) -> str:
    text = _divisions(text)
    text = _TYPED_BULLET.sub(r"<li typed>\1</li>", text)
    text = _TYPED_LIST.sub(lambda found: f"<ul>{found[0].replace('<li typed>', '<li>').strip()}</ul>", text)
    text = _headings(text)
    for _ in range(8):
        before = text
        text = _EMPTY.sub("", text)
        text = _BREAKS_BEFORE.sub("", _BREAKS_AFTER.sub(r"\1", text))
        if text == before:
            break
    text = _MANY_BREAKS.sub("<br><br>", text)
    return re.sub(r"^(?:\s|<br>)+|(?:\s|<br>)+$", "", re.sub(r"\n\s*\n", "\n", text))


def _divisions(text: str) -> str:
    """A div is what an editor makes of a line: it ends one, and has no meaning besides."""
    return re.sub(r"</div>", "<br>", re.sub(r"<div>", "<br>", text)) if "<div>" in text else text


def _headings(text: str) -> str:
    levels = [int(found[2]) for found in _HEADING.finditer(text)]
    if not levels:
        return text
    top = min(levels)
    return _HEADING.sub(lambda found: f"<{found[1]}h{3 if int(found[2]) == top else 4}>", text)
