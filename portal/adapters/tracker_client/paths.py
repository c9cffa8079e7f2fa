"""Builds URL paths. Each value is checked before it is inserted, and the whole path is checked afterwards.

Percent-encoding alone is not enough: `..` has nothing to encode, and a client collapses it into another path.
"""

import re
from urllib.parse import quote

from portal.contract.operations import Operation
from portal.platform.errors import Rejected

_PUBLIC = re.compile(r"[A-Za-z0-9_-]{1,100}")
_OPAQUE_MAX = 500
_PUBLIC_NAMES = frozenset({"publicTenantSlug", "jobBoardPostingId"})


def path_of(operation: Operation, **segments: str) -> str:
    """Return the operation's path with its segments filled in and percent-encoded.

    Slugs and posting ids have to be URL-safe as they are; other ids are opaque (§1) and percent-encoded. Raises
    Rejected, without the value in its message, if a value cannot be a path segment.
    """
    filled = operation.path
    for name, value in segments.items():
        public = name in _PUBLIC_NAMES
        if not (_PUBLIC.fullmatch(value) if public else _is_a_segment(value)):
            raise Rejected(f"the {name} at hand cannot be a part of an address", operation=operation.section)
        filled = filled.replace("{" + name + "}", quote(value, safe=""))
    if filled.count("/") != operation.path.count("/") or "{" in filled:
        raise Rejected("the address came out with another shape than its operation has", operation=operation.section)
    return filled


def _is_a_segment(value: str) -> bool:
    if not 1 <= len(value) <= _OPAQUE_MAX or not value.isprintable():
        return False
    # A proxy may decode %2F before it collapses dots, so dots between encoded slashes are refused too.
    return not any(part in {"", ".", ".."} for part in re.split(r"[/\\]", value))
