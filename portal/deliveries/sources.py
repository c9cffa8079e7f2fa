"""Where a delivery's person came from, sealed at rest."""

import json
from collections.abc import Mapping

from portal.sealing import Seal


def sealed(seal: Seal, sources: Mapping[str, str]) -> str | None:
    """For the database; None where nothing is known."""
    return seal.seal(json.dumps(dict(sources))) if sources else None


def opened(seal: Seal, stored: str | None) -> dict[str, str]:
    """From the database."""
    return dict(json.loads(seal.open(stored))) if stored else {}
