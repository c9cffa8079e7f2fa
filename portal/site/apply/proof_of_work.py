"""A proof of work by ALTCHA's protocol, which a browser computes by itself: own origin, no third party, no puzzle.

The portal hashes a random salt, a nonce and a secret counter, and sends the first half of the hash; finding the counter
takes a browser thousands of hashes, checking it takes the portal one. The signature covers everything that is sent, so
a challenge is bound to its form and its end. A form is one application, however often it is posted, and so is its
proof.

The end is a member of ours instead of ALTCHA's `expiresAt`, which the library compares with a clock of its own.
"""

import secrets
from datetime import datetime, timedelta

from portal.platform.crypto.sealing import Seal

FIELD = "altcha"
"""The form's hidden field for the solution; empty until a script fills it in."""
MOST = 20_000
"""The largest counter: a laptop finds it in a fraction of a second, a slow phone within two seconds."""
LIFETIME = timedelta(hours=1)
"""Long enough to send the largest file over a slow connection: the solution is posted with it."""

_LONGEST = 2_000
_PURPOSE = "proof-of-work-key"


def challenge(seal: Seal, *, form_id: str, now: datetime) -> dict[str, object]:
    """Return a new challenge for this form, with ALTCHA's member names: {"parameters": {…}, "signature": …}."""
    import altcha  # imported here and below, because most companies never require a proof

    data = {"form": form_id, "until": int((now + LIFETIME).timestamp()), "most": MOST}
    counter, key = secrets.randbelow(MOST + 1), seal.hash(_PURPOSE)
    return altcha.create_challenge("SHA-256", 1, counter=counter, data=data, hmac_secret=key).to_dict()


def is_proven(seal: Seal, posted: str, *, form_id: str, now: datetime) -> bool:
    """Return whether `posted` solves an unexpired challenge that this portal issued for this form.

    posted: Base64 of JSON, {"challenge": …, "solution": {"counter": …, "derivedKey": …}}.
    """
    import altcha

    posted = posted[:_LONGEST]
    if not any(altcha.verify_solution(posted, key).verified for key in seal.hashes(_PURPOSE)):
        return False  # no proof; the application waits for confirmation by email like any other without one
    data = altcha.Payload.from_base64(posted).challenge.parameters.data or {}
    return data.get("form") == form_id and bool(now.timestamp() < data.get("until", 0))
