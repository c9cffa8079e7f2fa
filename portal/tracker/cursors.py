"""The opaque cursor of §4.2: Base64 over a turn and a mark that only the tenant's own cursors bear."""

import base64
import binascii
import hashlib
import hmac
import re
from datetime import datetime

from portal.db import EPOCH
from portal.tracker.reading import refused_parameter
from portal.tracker.turns import MICROSECOND, microseconds


def sealed(secret: str, turn: datetime) -> str:
    """Base64 of hexadecimal digits: it has no `+`, `/` or `=`, so it survives a query that nobody encoded."""
    place = f"{microseconds(turn):016x}"
    return base64.b64encode((place + _mark(secret, place)).encode()).decode()


def read(secret: str, cursor: str | None) -> datetime | None:
    """The turn to start from; Problem 400 for a cursor that is damaged or another tenant's."""
    if cursor is None:
        return None
    try:
        plain = base64.b64decode(cursor.encode(), validate=True).decode("ascii")
    except (binascii.Error, UnicodeError, ValueError):
        plain = ""
    turn = EPOCH + int(plain[:16], 16) * MICROSECOND if re.fullmatch(r"[0-9a-f]{48}", plain) else None
    if turn is None or not hmac.compare_digest(sealed(secret, turn).encode(), cursor.encode()):
        raise refused_parameter("cursor", "is not a cursor that this operation gave")
    return turn


def _mark(secret: str, place: str) -> str:
    return hmac.new(secret.encode(), place.encode(), hashlib.sha256).hexdigest()[:32]
