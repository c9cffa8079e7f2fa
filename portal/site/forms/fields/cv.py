"""The CV field: the file types that the browser offers, and the messages about a file that is rejected."""

import math

from babel.numbers import format_decimal
from flask_babel import get_locale, gettext, lazy_gettext, ngettext

from portal.adapters.inspection.inspection import DOC, DOCX, EXTENSIONS, ODT, PDF, RTF, TXT
from portal.platform.errors import FileKind, UploadReason, UploadRefused

_MOST_KILOBYTES = 1_000
_NAMES = {PDF[0]: "PDF", DOCX[0]: "Word (DOCX)", ODT[0]: "ODT", RTF[0]: "RTF", DOC[0]: "Word (DOC)", TXT[0]: "TXT"}

MISSING, GONE, DISK_FULL = "missing", "cv_gone", "storage_full"
CODES = frozenset([*UploadReason, MISSING, GONE, DISK_FULL])
"""Codes of the JSON API about a file (docs/embedding.md)."""

ACCEPTED_FILES = ",".join(f".{extension}" for extension in EXTENSIONS)
"""The value of the field's `accept`. A browser can ignore it; the content decides what a file is."""

_UPLOAD = {
    UploadReason.EMPTY: lazy_gettext("This file is empty. Choose another one."),
    UploadReason.TOO_LARGE: lazy_gettext("This file is too large. Saving it as a PDF often makes it smaller."),
    UploadReason.WRONG_TYPE: lazy_gettext(
        "This type of file cannot be read. Choose a PDF, Word (DOCX or DOC), ODT, RTF or plain text file."
    ),
    UploadReason.ENCRYPTED: lazy_gettext(
        "This file is password-protected. Save it without a password and choose it again."
    ),
    UploadReason.MACROS: lazy_gettext(
        "This file contains macros. Save it as a PDF or DOCX without them and choose that file."
    ),
    UploadReason.ACTIVE_CONTENT: lazy_gettext(
        "This file runs something automatically when it is opened. Print it to PDF and choose the new file."
    ),
    UploadReason.EMBEDDED_FILES: lazy_gettext(
        "This file contains another file. Save your CV as a PDF without it and choose the new file."
    ),
    UploadReason.EXTERNAL_CONTENT: lazy_gettext(
        "This file loads images or a template from elsewhere. Save your CV as a PDF and choose the new file."
    ),
    UploadReason.DAMAGED: lazy_gettext(
        "This file seems to be damaged. Save it again, as a PDF if possible, and choose the new file."
    ),
    UploadReason.SUSPICIOUS: lazy_gettext(
        "This file cannot be accepted for security reasons. Save your CV as a PDF and choose the new file."
    ),
    UploadReason.TOO_COMPLEX: lazy_gettext(
        "This file is too complex to read. Print it to PDF and choose the new file."
    ),
}

_KIND = {
    (UploadReason.ENCRYPTED, FileKind.PDF): lazy_gettext(
        "This PDF is password-protected. Save it without a password and choose it again."
    ),
    (UploadReason.ACTIVE_CONTENT, FileKind.PDF): lazy_gettext(
        "This PDF runs something automatically when it is opened. Print it to PDF again and choose the new file."
    ),
    (UploadReason.EMBEDDED_FILES, FileKind.PDF): lazy_gettext(
        "This PDF has other files attached to it. Print it to PDF again and choose the new file."
    ),
    (UploadReason.EXTERNAL_CONTENT, FileKind.PDF): lazy_gettext(
        "This PDF loads content from elsewhere. Print it to PDF again and choose the new file."
    ),
    (UploadReason.WRONG_TYPE, FileKind.PICTURE): lazy_gettext(
        "This is an image. Put it in a document, save that as a PDF and choose the PDF."
    ),
    (UploadReason.WRONG_TYPE, FileKind.SPREADSHEET): lazy_gettext(
        "This is a spreadsheet. Save it as a PDF and choose the PDF."
    ),
    (UploadReason.WRONG_TYPE, FileKind.PRESENTATION): lazy_gettext(
        "This is a presentation. Save it as a PDF and choose the PDF."
    ),
    (UploadReason.WRONG_TYPE, FileKind.PAGES): lazy_gettext(
        "This is an Apple Pages document. Export it as PDF or Word and choose that file."
    ),
    (UploadReason.WRONG_TYPE, FileKind.WEB_PAGE): lazy_gettext(
        "This is a web page. Print it to PDF and choose the PDF."
    ),
    (UploadReason.WRONG_TYPE, FileKind.ARCHIVE): lazy_gettext("This is an archive. Open it and choose the CV inside."),
    (UploadReason.WRONG_TYPE, FileKind.RECORDING): lazy_gettext(
        "This is a recording. Choose your CV as a PDF, Word or text file."
    ),
    (UploadReason.WRONG_TYPE, FileKind.PROGRAM): lazy_gettext(
        "This is a program. Choose your CV as a PDF, Word or text file."
    ),
    (UploadReason.WRONG_TYPE, FileKind.UNMARKED_TEXT): lazy_gettext(
        "This text file does not state its encoding. Save it as UTF-8 or PDF and choose the new file."
    ),
}

STORAGE_FULL = lazy_gettext(
    "Files cannot be accepted right now because this site’s storage is nearly full. This is not your fault. "
    "Please choose your file again and send it in 15 minutes."
)
NOT_KEPT = lazy_gettext("Your CV was not saved. Choose it again.")
NOT_CHOSEN = lazy_gettext("Choose your CV.")
NOT_STORED = lazy_gettext("This file could not be saved right now. Please choose it again in a minute.")
TOO_MANY_INSPECTIONS = lazy_gettext(
    "Too many files are arriving from your network, so yours could not be checked and nothing has been sent "
    "yet. Everything you entered is still here. Please try again in a minute."
)
NO_LONGER_STORED = lazy_gettext("Your CV is no longer stored here. Choose it again.")
ANOTHER_CAME = lazy_gettext("The file that arrived is not the one that was expected. Choose your file again.")
NOT_WHOLE = lazy_gettext("This file did not arrive completely. Choose it again.")
SIZE_UNKNOWN = lazy_gettext("Give the size of the file in bytes in the size field.")
BEING_CHECKED = lazy_gettext("This file is still being checked. Please wait a moment.")


def size_in_words(size: int) -> str:
    """Return a file's size for people, in the page's language; cv.js formats it the same way.

    Megabytes are rounded up, so that a file that is a byte too large is not as large as the limit.
    """
    kilobytes = max(1, math.floor(size / 1024 + 0.5))
    if kilobytes < _MOST_KILOBYTES:
        return str(gettext("%(size)s kB", size=kilobytes))
    return str(gettext("%(size)s MB", size=format_decimal(math.ceil(size / 104_857.6) / 10, locale=get_locale())))


def hint(most: int) -> str:
    """Say which files are accepted. most: bytes."""
    return str(gettext("PDF, Word, ODT, RTF or plain text, up to %(size)s.", size=size_in_words(most)))


def pages_in_words(pages: int | None) -> str | None:
    """Return the number of pages in words, None if it is unknown."""
    return None if pages is None else str(ngettext("%(num)s page", "%(num)s pages", pages))


def described(media_type: str, size: int, pages: int | None) -> str:
    """Return a description that its sender recognises and that contains nothing personal: type, pages and size."""
    kind = _NAMES.get(media_type, "")
    return ", ".join(word for word in (kind, pages_in_words(pages), size_in_words(size)) if word)


def refused(why: UploadRefused, *, limit: int) -> str:
    """Return why a CV is rejected, and what to do. limit: bytes."""
    if why.reason is UploadReason.TOO_LARGE and why.size:
        return _too_large(size_in_words(why.size), size_in_words(limit))
    return str((why.kind and _KIND.get((why.reason, why.kind))) or _UPLOAD[why.reason])


def _too_large(size: str, limit: str) -> str:
    if size == limit:  # slightly larger, but rounded to the same size
        message = gettext(
            "This file is a little larger than the limit of %(limit)s. Saving it as a PDF often makes it smaller.",
            limit=limit,
        )
    else:
        message = gettext(
            "This file is %(size)s. The limit is %(limit)s. Saving it as a PDF often makes it smaller.",
            size=size,
            limit=limit,
        )
    return str(message)


def too_many_at_once(seconds: int) -> str:
    """Say that the form has as many files in transfer as one form may have."""
    return str(
        ngettext(
            "Too many files were chosen for this form at once. Try again in %(num)s minute.",
            "Too many files were chosen for this form at once. Try again in %(num)s minutes.",
            -(-seconds // 60),
        )
    )
