"""What stands above the form when it comes back: what happened, and what to do."""

from flask_babel import gettext, ngettext


def elsewhere() -> str:
    """Another site made the browser post."""
    return str(
        gettext(
            "This came from another website, so nothing was sent. To apply, check what is here and send it yourself."
        )
    )


def filled(fields: int) -> str:
    """What came of reading the CV."""
    if not fields:
        return str(
            gettext("Nothing that is missing here could be read from your CV for sure. Please type it yourself.")
        )
    return str(
        ngettext(
            "%(num)s field is filled in from your CV. Please check it: nothing has been sent yet.",
            "%(num)s fields are filled in from your CV. Please check them: nothing has been sent yet.",
            fields,
        )
    )


def pause(seconds: int) -> str:
    """Too many posts from one network."""
    return str(
        ngettext(
            "Many applications came from your network, so this one is not sent yet. Everything you typed is still "
            "here. Please send it again in %(num)s minute.",
            "Many applications came from your network, so this one is not sent yet. Everything you typed is still "
            "here. Please send it again in %(num)s minutes.",
            -(-seconds // 60),
        )
    )


def pause_of_files(seconds: int) -> str:
    """Too many bytes of files from one network, or to one company."""
    return str(
        ngettext(
            "Very many files came within this hour, so yours could not be taken, and nothing is sent yet. Everything "
            "you typed is still here. Please send it again in %(num)s minute.",
            "Very many files came within this hour, so yours could not be taken, and nothing is sent yet. Everything "
            "you typed is still here. Please send it again in %(num)s minutes.",
            -(-seconds // 60),
        )
    )


def unavailable() -> str:
    """The database or the store is down."""
    return str(
        gettext(
            "Your application could not be saved just now, so it is not sent yet. It is no fault of yours. "
            "Everything you typed is still here. Please send it again in a minute."
        )
    )


def broken() -> str:
    """The body ended early, or was no form."""
    return str(gettext("Not everything arrived, so nothing was sent. Please check what is here and send it again."))


def expired() -> str:
    """The form's token is older than its lifetime."""
    return str(
        gettext(
            "This page was open for a long time, so nothing is sent yet. Please check what you typed and send it again."
        )
    )


def unknown() -> str:
    """The form's token is none of ours, or another job's."""
    return str(
        gettext("It is not clear which form this came from, so nothing was sent. Please check it and send it again.")
    )


def different() -> str:
    """The same form was sent before with other content."""
    return str(
        gettext(
            "You already sent this form with other content, and that application stands. To send what is here as well, "
            "send it again."
        )
    )


def too_large() -> str:
    """The body is over every bound, and not because of the file alone."""
    return str(
        gettext(
            "This was more than this site can take, so nothing was sent. Please check what is here and send it again."
        )
    )


def choose_again() -> str:
    """The file that came was not kept."""
    return str(gettext("Only your CV has to be chosen again."))
