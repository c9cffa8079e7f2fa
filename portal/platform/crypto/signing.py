"""Signed form tokens, which state a form's purpose, its id, and the file that was stored for it.

No cookie is involved, so that a form works inside another site's frame: the token shows that this portal made this form
for this purpose, and its id makes sending it twice idempotent. It does not prove who posts it; site/routing/origin.py
checks that a post does not come from another site.
"""

import hashlib
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from itsdangerous import BadData, URLSafeSerializer

from portal.platform.logs import SecurityEvent, log_security_event

_SHA_256 = {"key_derivation": "hmac", "digest_method": hashlib.sha256}
"""Signatures of the next release. This release accepts them, but signs with SHA-1, the library's default, because the
previous release, which may still run beside it, accepts only that.
"""
_FORM_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class FormToken:
    """Token that this portal signed for this very purpose."""

    form_id: str
    expired: bool
    opened: datetime
    """When the user was first shown this form, to the millisecond; later pages of the same form keep the value."""
    kind: str
    """Kind of the form: the first part of its purpose."""


def new_form_id() -> str:
    """Return a random form id of 32 hex digits."""
    return secrets.token_hex(16)


class _Why(StrEnum):
    """Why a token is rejected, for the security log."""

    FORGED = "forged"
    ANOTHERS = "anothers"
    """It was made for another form, or for another person's session."""


class FormSigner:
    """Signer with the secret key; also verifies what former keys signed. ttl: a form's lifetime in seconds.

    purpose (in its methods): what a form is for, beside its tenant: a posting to apply to, a self-service session.
    """

    def __init__(self, secret: str, fallbacks: Sequence[str] = (), *, ttl: float) -> None:
        keys = [*fallbacks, secret]  # the library signs with the last key
        self._forms, self._uploads, self._asked = (
            URLSafeSerializer(keys, salt=f"portal.{use}", fallback_signers=[_SHA_256])
            for use in ("form", "upload", "asked")
        )
        self._ttl = ttl

    def sign(
        self, *, tenant: str, purpose: tuple[str, str], form_id: str, now: datetime, opened: datetime | None = None
    ) -> str:
        """Return a token for the form's hidden field. opened: when this form was first shown, if that is not now."""
        times = [int(now.timestamp()), int((opened or now).timestamp() * 1_000)]
        return str(self._forms.dumps([tenant, *purpose, form_id, *times]))

    def read(self, token: str, *, tenant: str, purpose: tuple[str, str], now: datetime) -> FormToken | None:
        """Return the token, or None if it is forged, damaged, or made for another tenant or purpose."""
        found = self._read(token, tenant, now)
        if found and found[0] != purpose:
            log_security_event(SecurityEvent.FORM_REFUSED, tenant=tenant, reason=_Why.ANOTHERS)
            return None
        return found[1] if found else None

    def read_any(self, token: str, *, tenant: str, now: datetime) -> FormToken | None:
        """Return the token of any purpose: for what is bound to the form alone, like its file."""
        found = self._read(token, tenant, now)
        return found[1] if found else None

    def sign_asked(self, *, tenant: str, form_id: str, asked: str) -> str:
        """Return a ticket for one file that a browser sends directly to file storage, for this very form."""
        return str(self._asked.dumps([tenant, form_id, asked]))

    def read_asked(self, ticket: str, *, tenant: str) -> tuple[str, str] | None:
        """Return (form id, upload id), or None if the ticket is forged or another tenant's."""
        try:
            match self._asked.loads(ticket):
                case [str(its_tenant), str(form_id), str(asked)] if its_tenant == tenant:
                    return form_id, asked
        except BadData:
            pass
        return None

    def _read(self, token: str, tenant: str, now: datetime) -> tuple[tuple[str, str], FormToken] | None:
        """Return (its purpose, the token)."""
        try:
            match self._forms.loads(token):
                case [str(its_tenant), str(kind), str(what), str(form_id), int(signed_at), int(opened)] if (
                    its_tenant == tenant and _FORM_ID.fullmatch(form_id)
                ):
                    expired = now.timestamp() - signed_at > self._ttl
                    return (kind, what), FormToken(form_id, expired, datetime.fromtimestamp(opened / 1_000, UTC), kind)
        except BadData:
            pass
        if token:  # an interrupted post has no token, and is harmless
            log_security_event(SecurityEvent.FORM_REFUSED, tenant=tenant, reason=_Why.FORGED)
        return None

    def sign_upload(self, *, tenant: str, form_id: str, handle: str) -> str:
        """Return the signed handle of a stored file, for the hidden field of this very form."""
        return str(self._uploads.dumps([tenant, form_id, handle]))

    def read_upload(self, signed: str, *, tenant: str, form_id: str) -> str | None:
        """Return the handle, or None if it is forged or was signed for another form."""
        try:
            match self._uploads.loads(signed):
                case [str(its_tenant), str(its_form), str(handle)] if (its_tenant, its_form) == (tenant, form_id):
                    return handle
        except BadData:
            pass
        return None
