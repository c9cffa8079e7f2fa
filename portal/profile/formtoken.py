"""What a form of self-service carries, signed: for which tenant and session it was made, and which form it is."""

import re
import secrets
from dataclasses import dataclass
from datetime import datetime

from itsdangerous import BadData, URLSafeSerializer

from portal.settings import Settings

_FORM_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class FormToken:
    """A token that this portal signed for this tenant and session, not too long ago."""

    form_id: str


def new_form_id() -> str:
    """32 hex digits."""
    return secrets.token_hex(16)


class FormSigner:
    """Signs with the secret key, and still reads what its predecessors signed. session: "" before signing in."""

    def __init__(self, settings: Settings) -> None:
        keys = [*settings.secret_key_fallbacks, settings.secret_key]  # the library signs with the last
        self._forms = URLSafeSerializer(keys, salt="portal.profile.form")
        self._uploads = URLSafeSerializer(keys, salt="portal.profile.upload")
        self._ttl = settings.form_ttl

    def sign(self, *, tenant: str, session: str, form_id: str, now: datetime) -> str:
        """A token for the form's hidden field."""
        return str(self._forms.dumps([tenant, session[:16], form_id, int(now.timestamp())]))

    def read(self, token: str, *, tenant: str, session: str, now: datetime) -> FormToken | None:
        """The token, or None if it is forged, too old, or made for another tenant or session."""
        try:
            match self._forms.loads(token):
                case [str(its_tenant), str(its_session), str(form_id), int(signed_at)] if (
                    (its_tenant, its_session) == (tenant, session[:16])
                    and _FORM_ID.fullmatch(form_id)
                    and now.timestamp() - signed_at <= self._ttl
                ):
                    return FormToken(form_id)
        except BadData:
            pass
        return None

    def sign_upload(self, *, tenant: str, form_id: str, handle: str) -> str:
        """A stored CV's handle, for the hidden field of this very form."""
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
