"""Sentences above the form when it is returned: what happened, and what to do."""

from flask_babel import gettext, lazy_gettext, ngettext

ELSEWHERE = lazy_gettext(
    "This form came from another website, so nothing was sent. To apply, check what is here and send it yourself."
)
UNAVAILABLE = lazy_gettext(
    "Your application could not be saved right now, so it has not been sent yet. This is not your fault. "
    "Everything you entered is still here. Please send it again in a minute."
)
BROKEN = lazy_gettext("Part of the form did not arrive, so nothing was sent. Check what is here and send it again.")
EXPIRED = lazy_gettext(
    "This page was open for a long time, so nothing has been sent yet. Check what you entered and send it again."
)
UNKNOWN = lazy_gettext("It is not clear which form this came from, so nothing was sent. Check it and send it again.")
DIFFERENT = lazy_gettext(
    "You already sent this form with different content, and that application is still valid. To send this "
    "version as well, send it again."
)
TOO_LARGE = lazy_gettext(
    "This was more data than this site accepts, so nothing was sent. Check what is here and send it again."
)
CHOOSE_AGAIN = lazy_gettext("You only need to choose your CV again.")


def filled(fields: int) -> str:
    """Say how many fields were filled in from the CV."""
    if not fields:
        return str(gettext("The missing answers could not be read reliably from your CV. Enter them yourself."))
    return str(
        ngettext(
            "%(num)s field was filled in from your CV. Check that it is correct. Nothing has been sent yet.",
            "%(num)s fields were filled in from your CV. Check that they are correct. Nothing has been sent yet.",
            fields,
        )
    )


def pause(seconds: int) -> str:
    """Say that there were too many posts from one network."""
    return str(
        ngettext(
            "Too many applications came from your network, so this one has not been sent yet. Everything you entered "
            "is still here. Send it again in %(num)s minute.",
            "Too many applications came from your network, so this one has not been sent yet. Everything you entered "
            "is still here. Send it again in %(num)s minutes.",
            -(-seconds // 60),
        )
    )


def pause_of_files(seconds: int) -> str:
    """Say that there were too many bytes of files, from one network or to one tenant."""
    return str(
        ngettext(
            "Too many files arrived in the past hour, so yours could not be accepted and nothing has been sent yet. "
            "Everything you entered is still here. Please send it again in %(num)s minute.",
            "Too many files arrived in the past hour, so yours could not be accepted and nothing has been sent yet. "
            "Everything you entered is still here. Please send it again in %(num)s minutes.",
            -(-seconds // 60),
        )
    )
