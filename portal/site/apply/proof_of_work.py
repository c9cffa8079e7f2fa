"""A proof of work by ALTCHA's scheme, which a browser computes by itself: own origin, no third party, no puzzle.

The challenge is the SHA-256 of a salt and a secret number; finding the number takes a browser thousands of hashes,
checking it takes the portal one. The salt binds the challenge to its form, and ends in a delimiter so that no digit can
move from the number into the salt. A form is one application, however often it is posted, and so is its proof.
"""

import base64
import binascii
import hashlib
import hmac
import secrets
from datetime import datetime, timedelta
from typing import Annotated, Literal
from urllib.parse import parse_qs, urlencode

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from portal.platform.crypto.sealing import Seal

FIELD = "altcha"
"""The form's hidden field for the solution; empty until a script fills it in."""
MOST = 20_000
"""The largest number: a laptop finds it in a fraction of a second, a slow phone within two seconds."""
LIFETIME = timedelta(hours=1)
"""Long enough to send the largest file over a slow connection: the solution is posted with it."""

_LONGEST = 2_000
_PURPOSE = "proof-of-work"


class Challenge(BaseModel):
    """What the browser has to solve, with ALTCHA's member names."""

    model_config = ConfigDict(frozen=True)

    algorithm: Literal["SHA-256"] = "SHA-256"
    challenge: str
    salt: str
    signature: str
    maxnumber: int = MOST


class _Solution(BaseModel):
    """The solution, which the browser posts as the Base64 of this as JSON."""

    model_config = ConfigDict(strict=True)

    algorithm: Literal["SHA-256"]
    challenge: str
    salt: str
    signature: str
    number: Annotated[int, Field(ge=0, le=MOST)]


def challenge(seal: Seal, *, form_id: str, now: datetime) -> Challenge:
    """Return a new challenge for this form."""
    until = int((now + LIFETIME).timestamp())
    salt = f"{secrets.token_hex(12)}?{urlencode({'expires': until, 'form': form_id})}&"
    wanted = _hash(salt, secrets.randbelow(MOST + 1))
    return Challenge(challenge=wanted, salt=salt, signature=seal.hash(_PURPOSE, wanted))


def is_proven(seal: Seal, posted: str, *, form_id: str, now: datetime) -> bool:
    """Return whether `posted` solves an unexpired challenge that this portal issued for this form."""
    try:
        found = _Solution.model_validate_json(base64.b64decode(posted[:_LONGEST], validate=True))
    except (binascii.Error, ValidationError, ValueError):
        return False  # no proof; the application waits for confirmation by email like any other without one
    told = parse_qs(found.salt.partition("?")[2])
    is_ours = any(hmac.compare_digest(one, _ascii(found.signature)) for one in _signatures(seal, found.challenge))
    return (
        is_ours
        and found.salt.endswith("&")
        and _hash(found.salt, found.number) == found.challenge
        and told.get("form") == [form_id]
        and told.get("expires", [""])[0].isdecimal()
        and now.timestamp() < int(told["expires"][0])
    )


def _hash(salt: str, number: int) -> str:
    return hashlib.sha256(f"{salt}{number}".encode()).hexdigest()


def _signatures(seal: Seal, wanted: str) -> list[bytes]:
    return [one.encode() for one in seal.hashes(_PURPOSE, wanted)]


def _ascii(text: str) -> bytes:
    return text.encode("ascii", "replace")
