"""Decides whether a reference in a document leads to this machine or to another one."""

import re
from urllib.parse import unquote

_ROUNDS = 4
# Programs ignore these characters in a URL, and invisible ones before it.
_SKIPPED = re.compile(r"[\x00-\x1f\x7f]|^\s+")
_SHARE = re.compile(r"//|/\?")  # \\machine, and \??\UNC\machine, which Windows accepts as well
_DRIVE = re.compile(r"(?://localhost)?/{0,3}[a-z][:|]", re.IGNORECASE)
_HOME = re.compile(
    r"(?://localhost|//)?/(?:Applications|home|Library|private|opt|tmp|Users|usr|var|Volumes)/", re.IGNORECASE
)
_NAME = re.compile(r"[^/]")
_SCHEME = re.compile(r"(?!cid:)([a-z][a-z0-9+.-]+):", re.IGNORECASE)  # cid: another part of the mail it was copied from


def leads_elsewhere(address: str) -> bool:
    """Return whether opening it may contact another machine: a web URL, or a network share in any notation.

    Relative names, names on a drive (C:) and names in a usual folder of macOS or Linux stay on this machine.
    """
    for _ in range(_ROUNDS):
        plain = unquote(address, errors="replace")
        if plain == address:
            break
        address = plain
    else:
        return True
    path = _SKIPPED.sub("", address).replace("\\", "/").strip()
    if not (scheme := _SCHEME.match(path)):
        return bool(_SHARE.match(path))
    if scheme[1].casefold() != "file":
        return True
    path = path[scheme.end() :].lstrip()
    return not (_DRIVE.match(path) or _HOME.match(path) or _NAME.match(path))
