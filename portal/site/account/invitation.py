"""The email address in an invitation's link, sealed so that no log and no browser history contains it.

The value comes back from any browser, so it is sealed for a purpose of its own: it cannot be used to open anything that
the database stores.
"""

import json

from portal.platform.crypto.sealing import Seal, Unreadable
from portal.site.forms.fields import email_address
from portal.site.forms.fields.refusal import Refused

_LONGEST = 2_000
_USE = "portal.invitation"


def sealed_for(seal: Seal, tenant: str, address: str) -> str:
    """Return the value of `?to=` in that tenant's links. It proves nothing about who opens a link."""
    return seal.seal(json.dumps([tenant, address]), use=_USE)


def address_in(seal: Seal, tenant: str, given: str) -> str:
    """Return the email address; "" if the value is not an invitation of that tenant."""
    if not given or len(given) > _LONGEST:
        return ""
    try:
        of, address = json.loads(seal.open(given, use=_USE))
        return email_address.parse(address) if of == tenant else ""
    except (Unreadable, Refused):
        return ""
