"""Invented people: what their CVs show, and the correct values.

people.txt has a line a person: language | name as shown | given | family | job | e-mail | phone as shown | E.164 |
address as shown, lines apart by / | profile as shown | region of the company that is applied to. Empty: not in the CV.
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Person:
    """number: from 0. Empty fields are not in the CV."""

    number: int
    language: str
    shown: str
    given: str
    family: str
    job: str
    mail: str
    phone: str
    e164: str
    address: tuple[str, ...]
    profile: str
    region: str


def people() -> list[Person]:
    """Return all people in a fixed order, because the number decides who is not used for tuning."""
    found = []
    for number, line in enumerate((Path(__file__).parent / "people.txt").read_text(encoding="utf-8").splitlines()):
        cells = [cell.strip() for cell in line.split("|")]
        address = tuple(part.strip() for part in cells[8].split(" / ") if part.strip())
        found.append(Person(number, *cells[:8], address, *cells[9:]))
    return found
