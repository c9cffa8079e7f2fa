"""Sentences above the form when it is returned: what happened, and what to do."""

from flask_babel import gettext, ngettext


def elsewhere() -> str:
    """Say that another site's page made the browser post."""
    return str(
        gettext(
            "This form came from another website, so nothing was sent. To apply, check what is here and send it "
            "yourself."
        )
    )


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


def unavailable() -> str:
    """Say that the database or the file storage is unavailable."""
    return str(
        gettext(
            "Your application could not be saved right now, so it has not been sent yet. This is not your fault. "
            "Everything you entered is still here. Please send it again in a minute."
        )
    )


def broken() -> str:
    """Say that the body ended early or was not a form."""
    return str(gettext("Part of the form did not arrive, so nothing was sent. Check what is here and send it again."))


def expired() -> str:
    """Say that the form's token has expired."""
    return str(
        gettext(
            "This page was open for a long time, so nothing has been sent yet. Check what you entered and send it "
            "again."
        )
    )


def unknown() -> str:
    """Say that the form's token is invalid, or belongs to another job."""
    return str(gettext("It is not clear which form this came from, so nothing was sent. Check it and send it again."))


def different() -> str:
    """Say that the same form was sent before with different content."""
    return str(
        gettext(
            "You already sent this form with different content, and that application is still valid. To send this "
            "version as well, send it again."
        )
    )


def too_large() -> str:
    """Say that the body exceeds its limit, and not because of the file alone."""
    return str(
        gettext("This was more data than this site accepts, so nothing was sent. Check what is here and send it again.")
    )


def choose_again() -> str:
    """Say that the file was not stored."""
    return str(gettext("You only need to choose your CV again."))
