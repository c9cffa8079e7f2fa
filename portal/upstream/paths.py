"""What may become a part of an address. Checked before it is built in and once more after.

Percent-encoding alone does not do: `..` has nothing to encode, and a client collapses it into another path.
"""

import re
from urllib.parse import quote

from portal.contract.operations import Operation
from portal.errors import Rejected

_PUBLIC = re.compile(r"[A-Za-z0-9_-]{1,100}")
_OPAQUE_MAX = 500
_PUBLIC_NAMES = frozenset({"publicTenantSlug", "jobBoardPostingId"})


def path_of(operation: Operation, **segments: str) -> str:
    """The operation's path with its segments filled in, ready for the wire.

    Slugs and posting ids are taken as they are or not at all; other ids are opaque (§1) and percent-encoded. Rejected
    when one cannot be a segment; the message has no value in it.
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
    # A server in between may decode %2F before it collapses dots, so dots between encoded slashes count too.
    return not any(part in {"", ".", ".."} for part in re.split(r"[/\\]", value))
