"""What a person is told when something typed is refused: what is wrong, and what to do."""

from flask_babel import lazy_gettext, ngettext

from portal.web.fields.refusal import Reason, Refused

_TYPED = {
    Reason.NOT_UTF8: lazy_gettext("Some characters did not arrive as you typed them. Please type this again."),
    Reason.INVISIBLE: lazy_gettext(
        "There is an invisible control character in here, perhaps from copying. Please type this again."
    ),
    Reason.MARKS: lazy_gettext("One letter in here has more accents than any language writes. Please type this again."),
    Reason.EMAIL: lazy_gettext("Enter an e-mail address like name@example.com."),
    Reason.PHONE: lazy_gettext("Enter a phone number with digits, like +49 30 1234567."),
    Reason.PHONE_COUNTRY: lazy_gettext(
        "It is not clear which country this number belongs to. Start it with + and the country code, "
        "like +49 30 1234567."
    ),
    Reason.PHONE_SHORT: lazy_gettext("This phone number is too short. Is a digit or the area code missing?"),
    Reason.PHONE_LONG: lazy_gettext("This phone number is too long. Is there a digit too many?"),
    Reason.PHONE_EXTENSION: lazy_gettext("Please give a number that reaches you directly, without an extension."),
    Reason.LINK: lazy_gettext("Enter a web address like https://example.com/your-name, or leave this empty."),
    Reason.LINK_SCHEME: lazy_gettext("Enter a web address that starts with https:// or http://."),
    Reason.LINK_LOGIN: lazy_gettext("Leave out the user name and password from this web address."),
    Reason.COUNTRY: lazy_gettext("Choose a country from the list."),
}


def refused(why: Refused, *, missing: str) -> str:
    """One sentence or two, in the page's language. missing: what to say when the field is empty."""
    if why.reason is Reason.MISSING:
        return missing
    if why.reason is Reason.TOO_LONG:
        return str(
            ngettext(
                "This is too long: %(num)s character is the most that fits.",
                "This is too long: %(num)s characters are the most that fit.",
                why.limit or 0,
            )
        )
    return str(_TYPED[why.reason])
