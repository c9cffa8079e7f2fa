"""The field of a CV: what the browser offers to choose from, and what a person is told of a file that is not taken."""

from babel.units import format_unit
from flask_babel import get_locale, gettext, lazy_gettext, ngettext

from portal.attachments.inspection import EXTENSIONS
from portal.errors import UploadReason

_MIB = 1_048_576

ACCEPTED_FILES = ",".join(f".{extension}" for extension in EXTENSIONS)
"""What the browser offers to choose from. It may be told otherwise; what a file is, its content decides."""

_UPLOAD = {
    UploadReason.EMPTY: lazy_gettext("This file is empty. Please choose another one."),
    UploadReason.WRONG_TYPE: lazy_gettext(
        "This kind of file cannot be read. Please choose a PDF, Word (DOCX or DOC), ODT, RTF or plain text file."
    ),
    UploadReason.ENCRYPTED: lazy_gettext(
        "This file is protected with a password. Please save it without one and choose it again."
    ),
    UploadReason.MACROS: lazy_gettext(
        "This file contains macros. Please save it as PDF or DOCX without them and choose that one."
    ),
    UploadReason.DAMAGED: lazy_gettext(
        "This file seems to be damaged. Please save it again, as PDF if you can, and choose that one."
    ),
    UploadReason.SUSPICIOUS: lazy_gettext(
        "This file cannot be taken for safety reasons. Please save your CV as PDF and choose that one."
    ),
}


def size_in_words(size: int) -> str:
    """A file's size as a person reads it, in the page's language; cv.js writes it alike."""
    if size >= _MIB:
        return format_unit(round(size / _MIB, 1), "digital-megabyte", "short", locale=get_locale())
    return format_unit(max(1, round(size / 1024)), "digital-kilobyte", "short", locale=get_locale())


def about(size: int, pages: int | None) -> str:
    """What can be said of a stored file: its size, and where it has any, its pages."""
    said = size_in_words(size)
    if pages is None:
        return said
    return str(ngettext("%(size)s, %(num)s page", "%(size)s, %(num)s pages", pages, size=said))


def refused(reason: UploadReason, *, size: str) -> str:
    """Why a CV is not taken, and what to do. size: the limit, in words."""
    if reason is UploadReason.TOO_LARGE:
        return str(
            gettext(
                "This file is larger than %(size)s. Please choose a smaller one; saving it as PDF often helps.",
                size=size,
            )
        )
    return str(_UPLOAD[reason])


def no_room() -> str:
    """A disk of ours is nearly full."""
    return str(
        gettext(
            "Files cannot be taken just now, because this site’s storage is nearly full. It is no fault of yours. "
            "Please choose your file again and send it in a quarter of an hour."
        )
    )


def not_kept() -> str:
    """The form that it came with is none of ours."""
    return str(gettext("Your CV was not kept. Please choose it again."))


def missing() -> str:
    """No file came."""
    return str(gettext("Choose your CV."))


def not_stored() -> str:
    """The store or the database is away."""
    return str(gettext("This file could not be stored just now. Please choose it again in a minute."))


def gone() -> str:
    """It was stored, and no longer is."""
    return str(gettext("Your CV is no longer here. Please choose it again."))
