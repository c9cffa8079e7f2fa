"""HTML as recruiters paste it → the limited HTML that a job page shows, and its plain text.

nh3 cleans it with an explicit allow-list: it removes classes, styles, ids, images and frames, and all links but http,
https and mailto with an absolute URL. Leftovers of word processors are removed, too: empty paragraphs, runs of no-break
spaces, bullets typed as characters. Headings start at h3, because the page has h1 and h2.

Long descriptions are cleaned in a separate process with a time limit, so that one tenant's text does not delay other
tenants. The time of the HTML 5 parser, a library, grows with the square of what is nested or misplaced, and no other
thread can interrupt it. Short texts never take long, so most stay in this process. The helper process starts with the
first long text, and ends with this process, because its input is then closed.
"""

import html
import io
import logging
import re
import sys
from typing import BinaryIO

import nh3

from portal.platform.sandbox.fork_server import serve
from portal.platform.sandbox.helper_process import Helper, HelperUnavailable, ProcessEnded
from portal.platform.sandbox.restrictions import Limits

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
_VOID = {"<br>", "<hr>"}
_GROWN_MOST = 600_000
"""Characters of safe HTML, which may be longer than its source: links get a rel attribute, open tags an end tag."""

_SPACES = re.compile("(?:&nbsp;|\u00a0|[ \\t\\r\\f\\v\u2000-\u200a\u202f\u3000])+")
_INVISIBLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b\u2060\ufeff\ufffe\uffff]|&#0;")
_HEADING = re.compile(r"<(/?)h([1-6])>")
_EMPTY = re.compile(r"<(p|h[34]|strong|em|b|i|u|li|ul|ol|blockquote|pre|code|caption|a)(?: [^<>]*)?>(?:\s|<br>)*+</\1>")
_BREAKS_AFTER = re.compile(rf"(</?{_BLOCK}(?: [^<>]*)?>)(?:\s*+<br>)++")
# Matches a whole run of breaks, whatever follows, because a failing match would be retried from each break.
_BREAKS = re.compile(rf"((?:<br>\s*+)++)(</?{_BLOCK}\b)?")
_BREAKS_FIRST = re.compile(r"(?:\s|<br>)*+")
_MANY_BREAKS = re.compile(r"<br>(?:\s*+<br>){2,}+")
_TYPED_BULLET = re.compile(r"<p>\s*+(?:<(?:strong|b)>)?[·•▪◦‣§\uf0b7\uf0a7]\s*+([^<]*+(?:<(?!/p>)[^<]*+)*+)</p>")
_TYPED_LIST = re.compile(r"(?:<li typed>[^<]*+(?:<(?!/li>)[^<]*+)*+</li>\s*+)++")
_ANY_TAG = re.compile(r"<[a-zA-Z!/][^<>]*>?")
_TAG = re.compile(r"<[^<>]*>")
_BLOCK_TAG = re.compile(rf"</?(?:{_BLOCK}|br)\b[^<>]*>")
log = logging.getLogger(__name__)

AT_ONCE = 5_000
"""Longest text in characters that is cleaned in this process: 0.15 s of CPU at worst."""
_SECONDS = 2.0
"""CPU seconds for one text; ordinary ones take hundredths."""
_TIMEOUT = 30.0
"""Real-time seconds, for a machine that is busy or suspended."""
_MEMORY = 1_000_000_000
"""Bytes of address space for one text."""
_TEXTS_AT_ONCE = 16
_REPLY_MOST = 64 * 1024 * 1024
"""Bytes of one cleaned text."""


def clean(text: str) -> str:
    """Return safe HTML, or "" if nothing visible is left. Text after 200,000 characters is cut off before cleaning.

    Markup that is nested by the hundred, or grows beyond bounds when it is made safe, is reduced to its text. The time
    grows with the square of what is nested or misplaced: long texts belong in a process with a CPU limit (cleaning.py).
    """
    text = _INVISIBLE.sub("", text[:_MOST]).replace("\r\n", "\n")
    if not re.search(r"<[a-zA-Z!/]", text):
        return _tidy(_safe(_paragraphs(text)))
    safe = _safe(text)
    return _tidy(safe) if len(safe) <= _GROWN_MOST and _depth(safe) <= _DEEPEST else flat(text)


def _depth(safe: str) -> int:
    """Return how deep tags of cleaned HTML are nested."""
    depth = deepest = 0
    for tag in _TAG.finditer(safe):
        if tag[0] not in _VOID:
            depth += -1 if tag[0].startswith("</") else 1
            deepest = max(deepest, depth)
    return deepest


def flat(text: str) -> str:
    """Return only the text in paragraphs, without tags, in time that is linear in its length."""
    without = _ANY_TAG.sub(" ", _INVISIBLE.sub("", text[:_MOST])).replace("<", " ")
    text = html.escape(_INVISIBLE.sub("", html.unescape(without)), quote=False)
    return _tidy(_SPACES.sub(" ", _paragraphs(text)))


def _safe(text: str) -> str:
    safe = nh3.clean(
        text,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        clean_content_tags=_WITH_CONTENT,
        url_schemes={"http", "https", "mailto"},
        url_relative="deny",
        link_rel="nofollow noopener noreferrer",
    )
    return _SPACES.sub(" ", safe)


def plain(safe: str) -> str:
    """Return the text of cleaned HTML in one line, at most 6,000 characters."""
    return plain_lines(safe).replace("\n", " ")


def plain_lines(safe: str, most: int = _PLAIN_MOST) -> str:
    """Return plain(safe) with a line break in place of each space that separates two blocks, at the same index.

    most: characters; no block behind them is read.
    """
    lines: list[str] = []
    left = most
    for block in _BLOCK_TAG.split(safe[: 10 * _PLAIN_MOST]):
        if line := " ".join(html.unescape(_TAG.sub("", block)).split()):
            lines.append(line)
            left -= len(line) + 1
            if left < 0:
                break
    return "\n".join(lines)[:most]


def _paragraphs(text: str) -> str:
    """Return text without tags as paragraphs: empty lines separate paragraphs, line breaks are kept."""
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
        text = _BREAKS.sub(lambda found: found[2] or found[1], _BREAKS_AFTER.sub(r"\1", text))
        if text == before:
            break
    text = _MANY_BREAKS.sub("<br><br>", text)
    return _without_outer_breaks(re.sub(r"\n\s*\n", "\n", text))


def _without_outer_breaks(text: str) -> str:
    first = _BREAKS_FIRST.match(text)
    start, end = first.end() if first else 0, len(text)
    while end > start and (text.endswith("<br>", start, end) or text[end - 1].isspace()):
        end -= 4 if text[end - 1] == ">" else 1
    return text[start:end]


def _divisions(text: str) -> str:
    """Replace div tags by line breaks: editors use a div for each line, and it means nothing else."""
    return re.sub(r"</div>", "<br>", re.sub(r"<div>", "<br>", text)) if "<div>" in text else text


def _headings(text: str) -> str:
    levels = [int(found[2]) for found in _HEADING.finditer(text)]
    if not levels:
        return text
    top = min(levels)
    return _HEADING.sub(lambda found: f"<{found[1]}h{3 if int(found[2]) == top else 4}>", text)


class Cleaner:
    """Cleans descriptions. Thread-safe. seconds: CPU time for one text."""

    def __init__(self, seconds: float = _SECONDS) -> None:
        limits = _limits(seconds)
        self._helper = Helper(
            "portal.jobs.text.cleaning",
            (str(seconds),),
            limits,
            max_concurrent=_TEXTS_AT_ONCE,
            max_result_bytes=_REPLY_MOST,
        )

    def clean(self, text: str, *, whose: str) -> str:
        """Return clean(text), or only its text in paragraphs if cleaning takes too long. whose: for the log."""
        if len(text) <= AT_ONCE:
            return clean(text)
        try:
            safe = self._helper.run(io.BytesIO(text.encode("utf-8", "surrogatepass")))
        except ProcessEnded:
            log.warning("a description of %s takes too long to clean: it is shown without formatting", whose)
            return flat(text)
        except HelperUnavailable as error:
            log.error("no process to clean a description of %s in (%s): it is shown without formatting", whose, error)  # noqa: TRY400  the message has all information
            return flat(text)
        return safe.decode("utf-8", "surrogatepass")

    def close(self) -> None:
        """End the helper process."""
        self._helper.close()


def _limits(seconds: float) -> Limits:
    return Limits(memory=_MEMORY, cpu=seconds, timeout=_TIMEOUT)


def _clean(text: BinaryIO, _: int) -> bytes:
    return clean(text.read().decode("utf-8", "surrogatepass")).encode("utf-8", "surrogatepass")


SHARED = Cleaner()
"""The cleaner of this process."""


if __name__ == "__main__":
    serve(_clean, _limits(float(sys.argv[1])))
