"""A CV → what it says of its person. A wrong suggestion is worse than none: what is not sure is left out."""

import codecs
import io
from typing import BinaryIO

from anyascii import anyascii

from portal.attachments.reading import office_text, pdf_text, word_text
from portal.attachments.reading.mails import Mail, mails
from portal.attachments.reading.names import agreement, name
from portal.attachments.reading.phones import phones
from portal.attachments.reading.places import places
from portal.attachments.reading.profiles import profile
from portal.attachments.reading.said import CvSaid
from portal.attachments.reading.sections import Part, Placed, placed
from portal.attachments.reading.written import Line, Written

_READERS = {
    "pdf": pdf_text.read,
    "docx": office_text.read_docx,
    "odt": office_text.read_odt,
    "rtf": word_text.read_rtf,
    "doc": word_text.read_doc,
    "txt": word_text.read_plain,
}


_ENCODINGS = (
    *(f"cp{page}" for page in range(1250, 1259)),
    *(f"iso8859-{part}" for part in (1, 2, 6, 9, 15)),
    "mac_roman",
    "charmap",
    "cp850",
    "utf-16-be",
)
"""That RTF and PDF name."""
_BLOCKS = 0x300
"""Of 256 characters, up to where letters end."""


def prepare() -> None:
    """Load now what is loaded when it is first used, for a process that can open nothing later."""
    for encoding in _ENCODINGS:
        codecs.lookup(encoding)
    for block in range(_BLOCKS):
        if not 0xD8 <= block < 0xE0:  # no characters
            anyascii(chr(block * 0x100))
    understood(Written((Line("Zoë Müller | zoe@müller.example | +49 30 1234567"),)))
    word_text.read_rtf(io.BytesIO(b"{\\rtf1 a}"))


def read_cv(file: BinaryIO, extension: str) -> CvSaid:
    """What it says; nothing where it can't be read. The file is known to be sound, and is left standing anywhere."""
    try:
        return understood(_READERS[extension](file))
    except Exception:  # noqa: BLE001  five parsers and their many errors: a CV that can't be read is not suggested from
        return CvSaid()


def understood(written: Written) -> CvSaid:
    """The facts of one person."""
    lines = placed(written.lines)
    found = mails(lines, written.links)
    whose = name(lines, [mail.address for mail in found], written.author)
    words = [*whose.given.split(), *whose.family.split()] if whose else []
    agreeing = sorted(found, key=lambda mail: -agreement(words, [mail.address]))
    own = [mail for mail in agreeing if not _is_of_a_job(lines, mail) or agreement(words, [mail.address]) > 0]
    return CvSaid(
        whose.given if whose else None,
        whose.family if whose else None,
        own[0].address if own else None,
        tuple(phones(lines, own[0].line if own else None)),
        tuple(places(lines)),
        profile(lines, written.links),
    )


def _is_of_a_job(lines: list[Placed], mail: Mail) -> bool:
    return mail.line >= 0 and lines[mail.line].part is Part.STORY
