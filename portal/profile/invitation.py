"""The part of an invitation's link that fills in the address: sealed, so that no log and no history names it.

It comes back from anybody's browser, so it is sealed for a use of its own: with it nothing can be opened that the
database holds.
"""

import json

from portal.sealing import Seal, Unreadable
from portal.web.fields import email_address
from portal.web.fields.refusal import Refused

_LONGEST = 2_000
_USE = "portal.invitation"


def sealed_for(seal: Seal, tenant: str, address: str) -> str:
    """What stands behind `?to=` in that tenant's links. It proves nothing about who opens one."""
    return seal.seal(json.dumps([tenant, address]), use=_USE)


def address_in(seal: Seal, tenant: str, given: str) -> str:
    """The address, or nothing where this is no invitation of that tenant's."""
    if not given or len(given) > _LONGEST:
        return ""
    try:
        of, address = json.loads(seal.open(given, use=_USE))
        return email_address.parse(address) if of == tenant else ""
    except (Unreadable, Refused):
        return ""
