"""An email address as typed, according to RFC 5321 and 6531."""

from email_validator import EmailNotValidError, validate_email

from portal.contract import bounds
from portal.site.forms.fields import text
from portal.site.forms.fields.refusal import FieldError, Refused

_LOCAL_MOST = 64
"""Bytes before the @."""


def parse(typed: str) -> str:
    """Return the normalised address, 3 to 254 (§8); international ones too. Makes no DNS lookup. Raises Refused."""
    address = text.required(typed, longest=bounds.EMAIL_MAX)
    try:
        # Reserved names (.example, .test) are accepted: people use them to try a form out, and nothing is looked up.
        parts = validate_email(address, check_deliverability=False, globally_deliverable=False)
    except EmailNotValidError as exc:
        raise Refused(FieldError.EMAIL) from exc
    # RFC 5321 §4.5.3.1.1; the library checks it only in strict mode, which also rejects quoted local parts.
    if len(parts.local_part.encode()) > _LOCAL_MOST:
        raise Refused(FieldError.EMAIL)
    # An encoded word (RFC 2047) before the @ is no real address, and mail software may decode it.
    if "=?" in parts.local_part or "." not in parts.domain or text.length(parts.normalized) < bounds.EMAIL_MIN:
        raise Refused(FieldError.EMAIL)
    # Normalising can lengthen an address, so the limit applies to the result, which is what is sent.
    return text.required(parts.normalized, longest=bounds.EMAIL_MAX)
