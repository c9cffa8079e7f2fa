"""A proof of work by ALTCHA's scheme, asked of a browser and found by it alone: own origin, no third party, no riddle.

The challenge is the SHA-256 of a salt and a number that is kept back; finding it again takes a browser thousands of
hashes and us one. It is bound to its form by the salt, which ends in a delimiter so that no digit can move from the
number into it; and since a form is one application, however often it is posted, so is a proof.
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

from portal.sealing import Seal

FIELD = "altcha"
"""The form's hidden field for the solution; it is empty until a script fills it in."""
MOST = 20_000
"""The number is at most this: a laptop finds it in a fraction of a second, a slow phone within two."""
LIFETIME = timedelta(hours=1)
"""Long enough to send the largest file over a poor line: the solution travels with it."""

_LONGEST = 2_000
_PURPOSE = "proof-of-work"


class Challenge(BaseModel):
    """What the browser is asked, under ALTCHA's names."""

    model_config = ConfigDict(frozen=True)

    algorithm: Literal["SHA-256"] = "SHA-256"
    challenge: str
    salt: str
    signature: str
    maxnumber: int = MOST


class _Solution(BaseModel):
    """What it answers: Base64 of this as JSON."""

    model_config = ConfigDict(strict=True)

    algorithm: Literal["SHA-256"]
    challenge: str
    salt: str
    signature: str
    number: Annotated[int, Field(ge=0, le=MOST)]


def challenge(seal: Seal, *, form_id: str, now: datetime) -> Challenge:
    """A new one for this form."""
    until = int((now + LIFETIME).timestamp())
    salt = f"{secrets.token_hex(12)}?{urlencode({'expires': until, 'form': form_id})}&"
    wanted = _hash(salt, secrets.randbelow(MOST + 1))
    return Challenge(challenge=wanted, salt=salt, signature=seal.hash(_PURPOSE, wanted))


def is_proven(seal: Seal, posted: str, *, form_id: str, now: datetime) -> bool:
    """Whether `posted` solves a challenge of ours that was made for this form and is not over."""
    try:
        found = _Solution.model_validate_json(base64.b64decode(posted[:_LONGEST], validate=True))
    except (binascii.Error, ValidationError, ValueError):
        return False  # nothing was solved, or something else was sent: it waits for a confirmation like any other
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
