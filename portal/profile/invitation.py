"""The part of an invitation's link that fills in the address: sealed, so that no log and no history names it.

It comes back from anybody's browser, so it is sealed for a use of its own: nothing that the database holds opens here.
"""

import json

from portal.sealing import Seal, Unreadable
from portal.settings import Settings
from portal.web.fields import email_address
from portal.web.fields.refusal import Refused

_LONGEST = 2_000
_USE = "portal.invitation"


class Invitations:
    """Seals and opens addresses for one tenant's links. It proves nothing about who opens one."""

    def __init__(self, settings: Settings) -> None:
        self._seal = Seal(settings.secret_key, settings.secret_key_fallbacks)

    def seal(self, tenant: str, address: str) -> str:
        """What stands behind `?to=`."""
        return self._seal.seal(json.dumps([tenant, address]), use=_USE)

    def address(self, tenant: str, given: str) -> str:
        """The address, or nothing where this is no invitation of that tenant's."""
        if not given or len(given) > _LONGEST:
            return ""
        try:
            of, address = json.loads(self._seal.open(given, use=_USE))
            return email_address.parse(address) if of == tenant else ""
        except (Unreadable, Refused):
            return ""
