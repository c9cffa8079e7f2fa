"""An e-mail address as a person types it, as RFC 5321 and 6531 have it."""

from email_validator import EmailNotValidError, validate_email

from portal.contract import limits
from portal.web.fields import text
from portal.web.fields.refusal import Reason, Refused

_LOCAL_MOST = 64
"""Bytes in front of the @."""


def parse(typed: str) -> str:
    """The normalised address, 3 to 254 (§8); international ones too. No DNS is asked. Raises Refused."""
    address = text.required(typed, longest=limits.EMAIL_MAX)
    try:
        # Reserved names (.example, .test) stay usable: they are how people try a form out, and nothing is looked up.
        parts = validate_email(address, check_deliverability=False, globally_deliverable=False)
    except EmailNotValidError as exc:
        raise Refused(Reason.EMAIL) from exc
    # RFC 5321 §4.5.3.1.1; the library says so in its strict mode alone, which refuses quoted local parts beside it.
    if len(parts.local_part.encode()) > _LOCAL_MOST:
        raise Refused(Reason.EMAIL)
    # An encoded word (RFC 2047) in front of the @ is nobody's address, and mail software may decode it.
    if "=?" in parts.local_part or "." not in parts.domain or text.length(parts.normalized) < limits.EMAIL_MIN:
        raise Refused(Reason.EMAIL)
    # Normalising can lengthen: what is sent is what is measured.
    return text.required(parts.normalized, longest=limits.EMAIL_MAX)
