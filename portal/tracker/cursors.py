"""The opaque cursor of §4.2: Base64 of a modification time and a signature with the tenant's secret."""

import base64
import binascii
import hashlib
import hmac
import re
from datetime import datetime

from portal.platform.database.db import EPOCH
from portal.tracker.request_reading import refused_parameter
from portal.tracker.revisions import MICROSECOND, microseconds


def sealed(secret: str, turn: datetime) -> str:
    """Return the cursor: Base64 of hexadecimal digits, so without `+`, `/` or `=`, and safe in a query unencoded."""
    place = f"{microseconds(turn):016x}"
    return base64.b64encode((place + _mark(secret, place)).encode()).decode()


def read(secret: str, cursor: str | None) -> datetime | None:
    """Return the modification time to start from; ServiceProblem 400 for a damaged cursor or another tenant's."""
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
