"""The CVs for measuring the reader: every person in one design, some as scans; half of them are not used for tuning."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from playwright.sync_api import Browser

from tests.adapters.cv_reader import browser_designs, pdf_designs, word_designs
from tests.adapters.cv_reader.people import Person, people

_WRITTEN: list[tuple[Callable[[Person], bytes], str]] = [
    (word_designs.docx_plain, "docx"),
    (pdf_designs.two_columns, "pdf"),
    (word_designs.docx_table, "docx"),
    (pdf_designs.header_and_footer, "pdf"),
    (word_designs.odt_plain, "odt"),
    (pdf_designs.sidebar_first, "pdf"),
    (word_designs.txt_labels, "txt"),
    (pdf_designs.table, "pdf"),
    (word_designs.docx_header, "docx"),
    (pdf_designs.spaced, "pdf"),
    (word_designs.rtf, "rtf"),
    (word_designs.docx_columns, "docx"),
    (word_designs.odt_table, "odt"),
    (word_designs.txt_lines, "txt"),
]
_PRINTED = [browser_designs.sidebar, browser_designs.banner, browser_designs.form]
_DRAWN_LETTERS = {"pdf"}
"""Made with a font that has no Arabic."""
SCANNED = 4


@dataclass(frozen=True)
class Sample:
    """One CV. is_scanned: it is a picture, so no suggestion is expected."""

    person: Person
    design: str
    content: bytes
    extension: str
    is_scanned: bool = False

    @property
    def is_held_back(self) -> bool:
        """Whether this CV is not used for tuning, by a rule that does not depend on its content."""
        return sha256(f"cv {self.person.number}".encode()).digest()[0] % 2 == 1


def samples(browser: Browser | None) -> Iterator[Sample]:
    """Return all samples; without a browser, those that need none."""
    everybody = people()
    for person in everybody:
        turn = person.number % (len(_WRITTEN) + 2 * len(_PRINTED))
        if turn < len(_WRITTEN) and not (person.language == "ar" and _WRITTEN[turn][1] in _DRAWN_LETTERS):
            make, extension = _WRITTEN[turn]
            yield Sample(person, make.__name__, make(person), extension)
        elif browser is not None:
            design = _PRINTED[person.number % len(_PRINTED)]
            content = browser_designs.printed(browser, design(person))
            yield Sample(person, design.__name__, content, "pdf")
    for person in everybody[:SCANNED]:
        yield Sample(person, "scanned", pdf_designs.scanned(person), "pdf", is_scanned=True)


def saved() -> Iterator[Sample]:
    """Return the files written by LibreOffice (make_files.py); their names state person and design."""
    everybody = people()
    for path in sorted((Path(__file__).parent / "files").iterdir()):
        number, _, design = path.stem.partition("-")
        yield Sample(everybody[int(number)], f"libreoffice_{design}", path.read_bytes(), path.suffix[1:])
