"""Where an address leads that a document takes something from: to this machine, or to another one."""

import re
from urllib.parse import unquote

_ROUNDS = 4
# Programs skip these in an address, and in front of it whatever does not show.
_SKIPPED = re.compile(r"[\x00-\x1f\x7f]|^\s+")
_SHARE = re.compile(r"//|/\?")  # \\machine, and \??\UNC\machine, which Windows knows as well
_DRIVE = re.compile(r"(?://localhost)?/{0,3}[a-z][:|]", re.IGNORECASE)
_HOME = re.compile(
    r"(?://localhost|//)?/(?:Applications|home|Library|private|opt|tmp|Users|usr|var|Volumes)/", re.IGNORECASE
)
_NAME = re.compile(r"[^/]")
_SCHEME = re.compile(r"(?!cid:)([a-z][a-z0-9+.-]+):", re.IGNORECASE)  # cid: another part of the mail it was pasted from


def leads_elsewhere(address: str) -> bool:
    """Whether opening it may ask another machine: an address of the web, or a share of a network however it is written.

    A relative name, one on a drive (C:) and one in a usual folder of a Mac or Linux stay here.
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
