"""Why a typed value is rejected. The pure parsers raise it; refused() turns it into a message."""

from enum import StrEnum

from flask_babel import lazy_gettext, ngettext


class FieldError(StrEnum):
    """What is wrong with a typed value. The values are codes of the JSON API, so they stay (docs/embedding.md)."""

    MISSING = "missing"
    TOO_LONG = "too_long"
    NOT_UTF8 = "not_utf8"
    INVISIBLE = "invisible"
    MARKS = "marks"
    EMAIL = "invalid_email"
    PHONE = "invalid_phone"
    PHONE_COUNTRY = "phone_country"
    PHONE_SHORT = "phone_short"
    PHONE_LONG = "phone_long"
    PHONE_EXTENSION = "phone_extension"
    LINK = "invalid_link"
    LINK_SCHEME = "link_scheme"
    LINK_LOGIN = "link_login"
    COUNTRY = "unknown_country"


class Refused(ValueError):
    """A typed value that is rejected. `limit` goes with TOO_LONG, in UTF-16 units."""

    def __init__(self, reason: FieldError, *, limit: int | None = None) -> None:
        super().__init__(reason.value)
        self.reason = reason
        self.limit = limit


_TYPED = {
    FieldError.NOT_UTF8: lazy_gettext("Some characters did not arrive correctly. Type this again."),
    FieldError.INVISIBLE: lazy_gettext(
        "This contains an invisible control character, perhaps from copying and pasting. Type this again."
    ),
    FieldError.MARKS: lazy_gettext("One character has too many accents or other marks. Type this again."),
    FieldError.EMAIL: lazy_gettext("Enter an email address, like name@example.com."),
    FieldError.PHONE: lazy_gettext("Enter a phone number with digits, like +49 30 1234567."),
    FieldError.PHONE_COUNTRY: lazy_gettext(
        "It is not clear which country this number belongs to. Start with + and the country code, like +49 30 1234567."
    ),
    FieldError.PHONE_SHORT: lazy_gettext("This phone number is too short. Is a digit or the area code missing?"),
    FieldError.PHONE_LONG: lazy_gettext("This phone number is too long. Is there an extra digit?"),
    FieldError.PHONE_EXTENSION: lazy_gettext("Enter a direct number, without an extension."),
    FieldError.LINK: lazy_gettext("Enter a web address like https://example.com/your-name, or leave this empty."),
    FieldError.LINK_SCHEME: lazy_gettext("Enter a web address that starts with https:// or http://."),
    FieldError.LINK_LOGIN: lazy_gettext("Remove the username and password from this web address."),
    FieldError.COUNTRY: lazy_gettext("Choose a country from the list."),
}


def refused(why: Refused, *, missing: str) -> str:
    """Return one or two sentences in the page's language. missing: the message if the field is empty."""
    if why.reason is FieldError.MISSING:
        return missing
    if why.reason is FieldError.TOO_LONG:
        return str(
            ngettext(
                "This is too long. Use %(num)s character at most.",
                "This is too long. Use %(num)s characters at most.",
                why.limit or 0,
            )
        )
    return str(_TYPED[why.reason])
