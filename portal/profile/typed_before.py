"""What was typed into a record's form whose session was over: it goes with the browser until its owner is signed in.

Every form says whose it is, sealed. What is posted without a session is sealed with that and handed back, so nothing
of it is kept here, and whoever finds the page cannot read it. It opens for a session of the same address alone.
"""

import base64
import json
import zlib
from dataclasses import dataclass, field

from werkzeug.datastructures import MultiDict

from portal.sealing import Seal, Unreadable, address_hash, address_hashes
from portal.signin.sessions import Session

_WHOSE, _TYPED = "portal.whose-form", "portal.typed-before"
_LONGEST = 48_000
"""Characters that a small form (guard.SMALL) has room for beside its own fields."""
_NOT_TYPED = frozenset({"token", "whose", "do", "step", "code", "proving"})


@dataclass(frozen=True, slots=True)
class TypedBefore:
    """fields: as they were posted. had_file: a file came with them, and was not kept."""

    form_id: str
    fields: MultiDict[str, str] = field(repr=False)
    had_file: bool


def whose(seal: Seal, session: Session, form_id: str) -> str:
    """For the form's hidden field of this name."""
    of = [session.tenant, address_hash(seal, session.tenant, session.email), form_id]
    return seal.seal(json.dumps(of), use=_WHOSE)


def is_hers(seal: Seal, session: Session, fields: MultiDict[str, str]) -> bool:
    """Whether a form was made for who is signed in now; one that does not say so may be."""
    try:
        tenant, address, _ = json.loads(seal.open(fields.get("whose", ""), use=_WHOSE))
    except Unreadable:
        return True
    return tenant == session.tenant and address in address_hashes(seal, tenant, session.email)


def sealed(seal: Seal, tenant: str, fields: MultiDict[str, str], *, had_file: bool) -> str:
    """For the hidden field `typed` of the pages that sign in; nothing where the form was not this tenant's."""
    try:
        of = json.loads(seal.open(fields.get("whose", ""), use=_WHOSE))
    except Unreadable:
        return ""
    if of[0] != tenant:
        return ""
    said = {name: value for name, value in fields.items() if name not in _NOT_TYPED}
    packed = zlib.compress(json.dumps([*of, said, had_file]).encode())
    found = seal.seal(base64.b85encode(packed).decode("ascii"), use=_TYPED)
    return found if len(found) <= _LONGEST else ""


def is_ours(seal: Seal, given: str) -> bool:
    """Whether sealed() made this."""
    return _opened(seal, given) is not None


def opened(seal: Seal, session: Session, given: str) -> TypedBefore | None:
    """What was typed, if whoever is signed in now typed it."""
    found = _opened(seal, given)
    if found is None:
        return None
    tenant, address, form_id, said, had_file = found
    if tenant != session.tenant or address not in address_hashes(seal, tenant, session.email):
        return None
    return TypedBefore(form_id, MultiDict(said), had_file)


def _opened(seal: Seal, given: str) -> tuple[str, str, str, dict[str, str], bool] | None:
    if not given or len(given) > _LONGEST:
        return None
    try:
        packed = base64.b85decode(seal.open(given, use=_TYPED))
    except Unreadable:
        return None
    tenant, address, form_id, said, had_file = json.loads(zlib.decompress(packed))
    return tenant, address, form_id, said, had_file
