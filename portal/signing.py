"""What a form carries with it, signed: what it was made for, which form it is, and which file was stored for it.

There is no cookie behind it, so that a form works inside another site's frame: the token says that this portal made
this form for this purpose, and its id makes sending it twice the same thing. It is no proof of who posts it; that a
post does not come from some other site is web/origin.py's to tell.
"""

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from itsdangerous import BadData, URLSafeSerializer

from portal.logs import Seen, seen

_FORM_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class FormToken:
    """A token that this portal signed for this very purpose."""

    form_id: str
    expired: bool
    opened: datetime
    """When its person was first shown this form, to the millisecond; pages of the same form after that say the same."""
    kind: str
    """What kind of form it is: the first part of its purpose."""


def new_form_id() -> str:
    """32 hex digits."""
    return secrets.token_hex(16)


class _Why(StrEnum):
    """Why a token is refused, for the security log."""

    FORGED = "forged"
    ANOTHERS = "anothers"
    """It was made for another form, or for somebody else's session."""


class FormSigner:
    """Signs with the secret key, and still reads what the former ones signed. ttl: a form's lifetime in seconds.

    purpose: what a form is for, beside its tenant: a posting to apply to, a session of self-service.
    """

    def __init__(self, secret: str, fallbacks: Sequence[str] = (), *, ttl: float) -> None:
        keys = [*fallbacks, secret]  # the library signs with the last
        self._forms = URLSafeSerializer(keys, salt="portal.form")
        self._uploads = URLSafeSerializer(keys, salt="portal.upload")
        self._asked = URLSafeSerializer(keys, salt="portal.asked")
        self._ttl = ttl

    def sign(
        self, *, tenant: str, purpose: tuple[str, str], form_id: str, now: datetime, opened: datetime | None = None
    ) -> str:
        """A token for the form's hidden field. opened: when this form was first shown, if that is not now."""
        times = [int(now.timestamp()), int((opened or now).timestamp() * 1_000)]
        return str(self._forms.dumps([tenant, *purpose, form_id, *times]))

    def read(self, token: str, *, tenant: str, purpose: tuple[str, str], now: datetime) -> FormToken | None:
        """The token, or None if it is forged, damaged, or made for another tenant or purpose."""
        found = self._read(token, tenant, now)
        if found and found[0] != purpose:
            seen(Seen.FORM_REFUSED, tenant=tenant, reason=_Why.ANOTHERS)
            return None
        return found[1] if found else None

    def read_any(self, token: str, *, tenant: str, now: datetime) -> FormToken | None:
        """The same for whatever purpose the form was made: for what is bound to the form alone, like its file."""
        found = self._read(token, tenant, now)
        return found[1] if found else None

    def sign_asked(self, *, tenant: str, form_id: str, asked: str) -> str:
        """A ticket for one file that a browser sends by itself, for this very form."""
        return str(self._asked.dumps([tenant, form_id, asked]))

    def read_asked(self, ticket: str, *, tenant: str) -> tuple[str, str] | None:
        """(form id, id of what was asked for), or None if it is forged or another tenant's."""
        try:
            match self._asked.loads(ticket):
                case [str(its_tenant), str(form_id), str(asked)] if its_tenant == tenant:
                    return form_id, asked
        except BadData:
            pass
        return None

    def _read(self, token: str, tenant: str, now: datetime) -> tuple[tuple[str, str], FormToken] | None:
        """(its purpose, the token)."""
        try:
            match self._forms.loads(token):
                case [str(its_tenant), str(kind), str(what), str(form_id), int(signed_at), int(opened)] if (
                    its_tenant == tenant and _FORM_ID.fullmatch(form_id)
                ):
                    expired = now.timestamp() - signed_at > self._ttl
                    return (kind, what), FormToken(form_id, expired, datetime.fromtimestamp(opened / 1_000, UTC), kind)
        except BadData:
            pass
        if token:  # a post that broke off has none, and means no harm
            seen(Seen.FORM_REFUSED, tenant=tenant, reason=_Why.FORGED)
        return None

    def sign_upload(self, *, tenant: str, form_id: str, handle: str) -> str:
        """A stored file's handle, for the hidden field of this very form."""
        return str(self._uploads.dumps([tenant, form_id, handle]))

    def read_upload(self, signed: str, *, tenant: str, form_id: str) -> str | None:
        """The handle, or None if it is forged or was signed for another form."""
        try:
            match self._uploads.loads(signed):
                case [str(its_tenant), str(its_form), str(handle)] if (its_tenant, its_form) == (tenant, form_id):
                    return handle
        except BadData:
            pass
        return None
