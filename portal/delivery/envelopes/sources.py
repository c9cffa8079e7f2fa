"""Where a delivery's candidate came from, sealed at rest."""

import json
from collections.abc import Mapping

from portal.platform.crypto.sealing import Seal


def sealed(seal: Seal, sources: Mapping[str, str]) -> str | None:
    """Return the encrypted form for the database; None if nothing is known."""
    return seal.seal(json.dumps(dict(sources))) if sources else None


def opened(seal: Seal, stored: str | None) -> dict[str, str]:
    """Decrypt the form in the database."""
    return dict(json.loads(seal.open(stored))) if stored else {}
