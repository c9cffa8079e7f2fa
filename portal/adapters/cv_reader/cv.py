"""A CV → facts about the candidate. Wrong suggestions are worse than none, so uncertain facts are left out."""

import codecs
import io
from typing import BinaryIO

from anyascii import anyascii

from portal.adapters.cv_reader import office_text, pdf_text
from portal.adapters.cv_reader.contact_details import FoundAddress, email_addresses, phones, profile
from portal.adapters.cv_reader.names import agreement, name
from portal.adapters.cv_reader.result import CvDetails
from portal.adapters.cv_reader.sections import CvSection, SectionedLine, with_sections
from portal.adapters.cv_reader.text_lines import CvText, TextLine

_READERS = {
    "pdf": pdf_text.read,
    "docx": office_text.read_docx,
    "odt": office_text.read_odt,
    "rtf": office_text.read_rtf,
    "doc": office_text.read_doc,
    "txt": office_text.read_plain,
}


_ENCODINGS = (
    *(f"cp{page}" for page in range(1250, 1259)),
    *(f"iso8859-{part}" for part in (1, 2, 6, 9, 15)),
    "mac_roman",
    "charmap",
    "cp850",
    "utf-16-be",
)
"""Encodings that RTF and PDF files name."""
_BLOCKS = 0x300
"""Blocks of 256 characters, up to the last block of letters."""


def prepare() -> None:
    """Load everything that is otherwise loaded on first use, for a process that cannot open files later."""
    for encoding in _ENCODINGS:
        codecs.lookup(encoding)
    for block in range(_BLOCKS):
        if not 0xD8 <= block < 0xE0:  # skip surrogates, which are not characters
            anyascii(chr(block * 0x100))
    details_of(CvText((TextLine("Zoë Müller | zoe@müller.example | +49 30 1234567"),)))
    office_text.read_rtf(io.BytesIO(b"{\\rtf1 a}"))


def read_cv(file: BinaryIO, extension: str) -> CvDetails | None:
    """Return the facts in a CV; None if it has no text, such as a scan. The file position is undefined afterwards.

    The file has passed inspection. Raises MemoryError where the process has too little memory for it.
    """
    try:
        text = _READERS[extension](file)
        return details_of(text) if text.lines or text.links else None
    except MemoryError:
        raise  # a retry would cost as much and fail again, so the caller records the failure
    except Exception:  # noqa: BLE001  five parsers with many kinds of errors: an unreadable CV gives no suggestions
        return CvDetails()


def details_of(text: CvText) -> CvDetails:
    """Return the facts about one person in the text of a CV."""
    lines = with_sections(text.lines)
    found = email_addresses(lines, text.links)
    whose = name(lines, [mail.address for mail in found], text.author)
    words = [*whose.given.split(), *whose.family.split()] if whose else []
    agreeing = sorted(found, key=lambda mail: -agreement(words, [mail.address]))
    own = [mail for mail in agreeing if not _is_of_a_job(lines, mail) or agreement(words, [mail.address]) > 0]
    return CvDetails(
        whose.given if whose else None,
        whose.family if whose else None,
        own[0].address if own else None,
        tuple(phones(lines, own[0].line if own else None)),
        profile(lines, text.links),
    )


def _is_of_a_job(lines: list[SectionedLine], mail: FoundAddress) -> bool:
    return mail.line >= 0 and lines[mail.line].section is CvSection.HISTORY
