"""Why something typed is refused. The pure parsers raise it; words.py says it to a person."""

from enum import StrEnum


class Reason(StrEnum):
    """What is wrong with a value."""

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
    """A typed value that cannot be taken. `limit` goes with TOO_LONG, in characters."""

    def __init__(self, reason: Reason, *, limit: int | None = None) -> None:
        super().__init__(reason.value)
        self.reason = reason
        self.limit = limit
