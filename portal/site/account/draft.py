"""Entries of a profile form whose session ended before it was posted: the browser carries them until the owner has
signed in again.

Each form carries its owner and form id, sealed (`whose`). A post without a session is sealed together with that and
returned to the browser, so nothing of it is stored here, and other people who see the page cannot read it. It opens
only in a session of the same email address.
"""

import base64
import json
import zlib
from dataclasses import dataclass, field

from flask import Request
from werkzeug.datastructures import MultiDict

from portal.people.signin.sessions import Session
from portal.platform.crypto.sealing import Seal, Unreadable, address_hash, address_hashes

_WHOSE, _TYPED = "portal.whose-form", "portal.typed-before"
_LONGEST = 48_000
"""Characters that fit into a small form (guard.MAX_FORM_BYTES) beside its own fields."""
_NOT_TYPED = frozenset({"token", "whose", "do", "step", "code", "proving"})


@dataclass(frozen=True, slots=True)
class Draft:
    """Entries of an earlier post. fields: as posted. had_file: a file was posted too, and was not stored."""

    form_id: str
    fields: MultiDict[str, str] = field(repr=False)
    had_file: bool


def owner_field(seal: Seal, session: Session, form_id: str) -> str:
    """Return the value of the form's hidden field `whose`: the form's owner and id, sealed."""
    of = [session.tenant, address_hash(seal, session.tenant, session.email), form_id]
    return seal.seal(json.dumps(of), use=_WHOSE)


def belongs_to_session(seal: Seal, session: Session, fields: MultiDict[str, str]) -> bool:
    """Return whether the form is the signed-in candidate's; one without a readable `whose` counts as theirs."""
    try:
        tenant, address, _ = json.loads(seal.open(fields.get("whose", ""), use=_WHOSE))
    except Unreadable:
        return True
    return tenant == session.tenant and address in address_hashes(seal, tenant, session.email)


def sealed(seal: Seal, tenant: str, fields: MultiDict[str, str], *, had_file: bool) -> str:
    """Return the value of the sign-in pages' hidden field `typed`; "" for another tenant's form, or if it is too
    long.
    """
    try:
        of = json.loads(seal.open(fields.get("whose", ""), use=_WHOSE))
    except Unreadable:
        return ""
    if of[0] != tenant:
        return ""
    typed = {name: value for name, value in fields.items() if name not in _NOT_TYPED}
    packed = zlib.compress(json.dumps([*of, typed, had_file]).encode())
    found = seal.seal(base64.b85encode(packed).decode("ascii"), use=_TYPED)
    return found if len(found) <= _LONGEST else ""


def posted(seal: Seal, request: Request) -> str:
    """Return the sealed entries that a posted sign-in form carries; "" if this portal did not seal them."""
    given = request.form.get("typed", "") if request.method == "POST" else ""
    return given if _opened(seal, given) is not None else ""


def opened(seal: Seal, session: Session, given: str) -> Draft | None:
    """Return the entries if the signed-in candidate made them, else None."""
    found = _opened(seal, given)
    if found is None:
        return None
    tenant, address, form_id, typed, had_file = found
    if tenant != session.tenant or address not in address_hashes(seal, tenant, session.email):
        return None
    return Draft(form_id, MultiDict(typed), had_file)


def _opened(seal: Seal, given: str) -> tuple[str, str, str, dict[str, str], bool] | None:
    if not given or len(given) > _LONGEST:
        return None
    try:
        packed = base64.b85decode(seal.open(given, use=_TYPED))
    except Unreadable:
        return None
    tenant, address, form_id, typed, had_file = json.loads(zlib.decompress(packed))
    return tenant, address, form_id, typed, had_file
