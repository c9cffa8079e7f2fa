"""The field of a CV: what the browser offers to choose from, and what a person is told of a file that is not taken."""

from babel.units import format_unit
from flask_babel import get_locale, gettext, lazy_gettext, ngettext

from portal.attachments.inspection import DOC, DOCX, EXTENSIONS, ODT, PDF, RTF, TXT
from portal.errors import FileKind, UploadReason, UploadRefused

_MIB = 1_048_576
_NAMES = {PDF[0]: "PDF", DOCX[0]: "Word (DOCX)", ODT[0]: "ODT", RTF[0]: "RTF", DOC[0]: "Word (DOC)", TXT[0]: "TXT"}

ACCEPTED_FILES = ",".join(f".{extension}" for extension in EXTENSIONS)
"""What the browser offers to choose from. It may be told otherwise; what a file is, its content decides."""

_UPLOAD = {
    UploadReason.EMPTY: lazy_gettext("This file is empty. Please choose another one."),
    UploadReason.TOO_LARGE: lazy_gettext("This file is too large. Saving as PDF often makes it smaller."),
    UploadReason.WRONG_TYPE: lazy_gettext(
        "This kind of file cannot be read. Please choose a PDF, Word (DOCX or DOC), ODT, RTF or plain text file."
    ),
    UploadReason.ENCRYPTED: lazy_gettext("This file needs a password. Save it without one and choose it again."),
    UploadReason.MACROS: lazy_gettext(
        "This file contains macros. Please save it as PDF or DOCX without them and choose that one."
    ),
    UploadReason.ACTIVE: lazy_gettext(
        "This file does something by itself when it is opened. Print it to PDF and choose the new file."
    ),
    UploadReason.CARRIES_FILES: lazy_gettext(
        "This file has another file inside it. Save your CV as PDF without it and choose that one."
    ),
    UploadReason.LOADS: lazy_gettext(
        "This file takes pictures or a template from another place. Save your CV as PDF and choose that one."
    ),
    UploadReason.DAMAGED: lazy_gettext(
        "This file seems to be damaged. Please save it again, as PDF if you can, and choose that one."
    ),
    UploadReason.SUSPICIOUS: lazy_gettext(
        "This file cannot be taken for safety reasons. Please save your CV as PDF and choose that one."
    ),
    UploadReason.TOO_INVOLVED: lazy_gettext(
        "This file is too complicated to be read. Print it to PDF and choose the new file."
    ),
}

_KIND = {
    (UploadReason.ENCRYPTED, FileKind.PDF): lazy_gettext(
        "This PDF needs a password. Save it without one and choose it again."
    ),
    (UploadReason.ACTIVE, FileKind.PDF): lazy_gettext(
        "This PDF does something by itself when it is opened. Print it to PDF once more and choose the new file."
    ),
    (UploadReason.CARRIES_FILES, FileKind.PDF): lazy_gettext(
        "This PDF has other files attached inside it. Print it to PDF once more and choose the new file."
    ),
    (UploadReason.WRONG_TYPE, FileKind.PICTURE): lazy_gettext(
        "This is a picture. Put it into a document, save that as PDF and choose the PDF."
    ),
    (UploadReason.WRONG_TYPE, FileKind.SPREADSHEET): lazy_gettext(
        "This is a spreadsheet. Save it as PDF and choose the PDF."
    ),
    (UploadReason.WRONG_TYPE, FileKind.PRESENTATION): lazy_gettext(
        "This is a presentation. Save it as PDF and choose the PDF."
    ),
    (UploadReason.WRONG_TYPE, FileKind.PAGES): lazy_gettext(
        "This is a document of Apple Pages. Export it as PDF or Word and choose that file."
    ),
    (UploadReason.WRONG_TYPE, FileKind.WEB_PAGE): lazy_gettext(
        "This is a web page. Print it to PDF and choose the PDF."
    ),
    (UploadReason.WRONG_TYPE, FileKind.ARCHIVE): lazy_gettext(
        "This is an archive of files. Open it and choose the CV that is inside."
    ),
    (UploadReason.WRONG_TYPE, FileKind.RECORDING): lazy_gettext(
        "This is a recording. Choose your CV as a PDF, Word or text file."
    ),
    (UploadReason.WRONG_TYPE, FileKind.PROGRAM): lazy_gettext(
        "This is a program. Choose your CV as a PDF, Word or text file."
    ),
    (UploadReason.WRONG_TYPE, FileKind.UNMARKED_TEXT): lazy_gettext(
        "This text file does not say how its letters are written. Save it as UTF-8 or PDF and choose the new file."
    ),
}


def size_in_words(size: int) -> str:
    """A file's size as a person reads it, in the page's language; cv.js writes it alike."""
    if size >= _MIB:
        return format_unit(round(size / _MIB, 1), "digital-megabyte", "short", locale=get_locale())
    return format_unit(max(1, round(size / 1024)), "digital-kilobyte", "short", locale=get_locale())


def pages_in_words(pages: int | None) -> str | None:
    """How many pages it has, where that is known."""
    return None if pages is None else str(ngettext("%(num)s page", "%(num)s pages", pages))


def described(media_type: str, size: int, pages: int | None) -> str:
    """What came, as a person knows it again, and nothing personal: its kind, pages and size."""
    kind = _NAMES.get(media_type, "")
    return ", ".join(word for word in (kind, pages_in_words(pages), size_in_words(size)) if word)


def refused(why: UploadRefused, *, limit: int) -> str:
    """Why a CV is not taken, and what to do. limit: bytes."""
    if why.reason is UploadReason.TOO_LARGE and why.size:
        return _too_large(size_in_words(why.size), size_in_words(limit))
    return str((why.kind and _KIND.get((why.reason, why.kind))) or _UPLOAD[why.reason])


def _too_large(size: str, limit: str) -> str:
    if size == limit:  # a little larger, and rounded
        said = gettext(
            "This file is a little larger than the limit of %(limit)s. Saving as PDF often makes it smaller.",
            limit=limit,
        )
    else:
        said = gettext(
            "This file is %(size)s; the limit is %(limit)s. Saving as PDF often makes it smaller.",
            size=size,
            limit=limit,
        )
    return str(said)


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


def another_came() -> str:
    """More bytes came than were announced."""
    return str(gettext("Another file came than was announced. Please choose your file again."))


def not_whole() -> str:
    """Fewer bytes came than were announced, or none."""
    return str(gettext("This file has not arrived whole. Please choose it again."))


def size_unknown() -> str:
    """A program asked to send a file, and did not say of how many bytes."""
    return str(gettext("Say in the field size how many bytes the file has."))


def being_checked() -> str:
    """Another request still looks at it."""
    return str(gettext("This file is still being checked. Please wait a moment."))


def too_many_at_once(seconds: int) -> str:
    """As many files as may be are on their way for one form."""
    return str(
        ngettext(
            "Too many files were chosen for this form at once. Please try again in %(num)s minute.",
            "Too many files were chosen for this form at once. Please try again in %(num)s minutes.",
            -(-seconds // 60),
        )
    )
