"""Why a typed value is rejected. The pure parsers raise it; words.py turns it into a message."""

from enum import StrEnum


class FieldError(StrEnum):
    """What is wrong with a typed value."""

    MISSING = "missing"
    TOO_LONG = "too_long"
    NOT_UTF8 = "not_utf8"
    INVISIBLE = "invisible"
    MARKS = "marks"
    EMAIL = "email"
    PHONE = "phone"
    PHONE_COUNTRY = "phone_country"
    PHONE_SHORT = "phone_short"
    PHONE_LONG = "phone_long"
    PHONE_EXTENSION = "phone_extension"
    LINK = "link"
    LINK_SCHEME = "link_scheme"
    LINK_LOGIN = "link_login"
    COUNTRY = "country"


class Refused(ValueError):
    """A typed value that is rejected. `limit` goes with TOO_LONG, in UTF-16 units."""

    def __init__(self, reason: FieldError, *, limit: int | None = None) -> None:
        super().__init__(reason.value)
        self.reason = reason
        self.limit = limit
