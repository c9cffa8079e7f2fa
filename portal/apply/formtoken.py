"""What a form carries with it, signed: which form it is, and which CV was already stored for it.

There is no cookie behind it, so that the form works inside another site's frame: the token says that this portal made
this form for this job, and its id makes sending it twice the same application. It is no proof of who posts it; that a
post does not come from some other site is origin.py's to tell.
"""

import re
import secrets
from dataclasses import dataclass
from datetime import datetime

from itsdangerous import BadData, URLSafeSerializer

from portal.settings import Settings

_SUBMISSION_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class FormToken:
    """A token that this portal signed for this tenant and posting."""

    submission_id: str
    expired: bool


def new_submission_id() -> str:
    """32 hex digits."""
    return secrets.token_hex(16)


class FormSigner:
    """Signs with the secret key, and still reads what its predecessors signed."""

    def __init__(self, settings: Settings) -> None:
        keys = [*settings.secret_key_fallbacks, settings.secret_key]  # the library signs with the last
        self._forms = URLSafeSerializer(keys, salt="portal.apply.form")
        self._uploads = URLSafeSerializer(keys, salt="portal.apply.upload")
        self._ttl = settings.form_ttl

    def sign(self, *, tenant: str, posting: str, submission_id: str, now: datetime) -> str:
        """A token for the form's hidden field."""
        return str(self._forms.dumps([tenant, posting, submission_id, int(now.timestamp())]))

    def read(self, token: str, *, tenant: str, posting: str, now: datetime) -> FormToken | None:
        """The token, or None if it is forged, damaged, or made for another tenant or posting."""
        try:
            match self._forms.loads(token):
                case [str(its_tenant), str(its_posting), str(submission_id), int(signed_at)] if (
                    its_tenant,
                    its_posting,
                ) == (tenant, posting) and _SUBMISSION_ID.fullmatch(submission_id):
                    return FormToken(submission_id, expired=now.timestamp() - signed_at > self._ttl)
        except BadData:
            pass
        return None

    def sign_upload(self, *, tenant: str, submission_id: str, handle: str) -> str:
        """A stored CV's handle, for the hidden field of this very form."""
        return str(self._uploads.dumps([tenant, submission_id, handle]))

    def read_upload(self, signed: str, *, tenant: str, submission_id: str) -> str | None:
        """The handle, or None if it is forged or was signed for another form."""
        try:
            match self._uploads.loads(signed):
                case [str(its_tenant), str(its_form), str(handle)] if (its_tenant, its_form) == (tenant, submission_id):
                    return handle
        except BadData:
            pass
        return None
