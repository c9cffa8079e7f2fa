"""Tells which links of a PDF may wait for a click; others reach into the network or the machine of whoever clicks."""

import re

from pypdf.generic import DictionaryObject

from portal.adapters.inspection.pdf_objects import value

OPEN_OTHERS = frozenset({"/GoToR", "/Thread"})
"""Actions that open the document named by /F (ISO 32000-2, 12.6.4.3 and 12.6.4.7)."""

_SCHEMES = frozenset(
    {"http", "https", "ftp", "ftps", "mailto", "tel", "sms", "callto", "skype", "whatsapp", "tg", "xmpp", "facetime"}
)
"""The web, and ways to reach a person."""
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):(?!\d{1,5}(?:[/?#]|$))", re.IGNORECASE)  # marit.example:8080 has none
# Word writes a link without "https://" as a file beside the document: file:///C:\Users\marit\linkedin.com\in\marit
_OWN_DISC = re.compile(r"file:///[a-z](?::|%3a|\|)[/\\](?![/\\])", re.IGNORECASE)
_BLANKS = re.compile(r"[\x00-\x20\x7f]")  # browsers ignore them: java\tscript:
_NAMES = ("/F", "/UF", "/DOS", "/Mac", "/Unix")


def may_wait_for_a_click(node: DictionaryObject) -> bool:
    """Return whether all that the node links to is on the web, a person's address, or a file beside the document."""
    address = value(node, "/URI")
    if isinstance(address, DictionaryObject):  # of the catalogue: what relative addresses start from
        address = value(address, "/Base")
    targets = [address]
    if value(node, "/S") in OPEN_OTHERS:
        file = value(node, "/F")
        targets += [value(file, name) for name in _NAMES] if isinstance(file, DictionaryObject) else [file]
    return all(_is_tame(target) for target in targets if target is not None)


def _is_tame(target: object) -> bool:
    if isinstance(target, bytes):
        target = target.decode("latin-1")
    if not isinstance(target, str):
        return False
    target = _BLANKS.sub("", target)
    if target.startswith(("/", "\\")):  # another machine: \\host\share, //host/share
        return False
    scheme = _SCHEME.match(target)
    return scheme is None or scheme[1].lower() in _SCHEMES or _OWN_DISC.match(target) is not None
