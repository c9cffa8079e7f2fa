"""Finds email addresses in a CV, and which of them are the candidate's."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from email_validator import EmailNotValidError, validate_email

from portal.adapters.cv_reader.sections import CvSection, SectionedLine
from portal.adapters.cv_reader.vocabulary import EMPLOYER, plain

_LOCAL = r"[\w!#$%&'*+/=?^`{}~-]+(?:\.[\w!#$%&'*+/=?^`{}~-]+){0,6}"
_DOMAIN = r"[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}"
_ADDRESS = re.compile(rf"(?<![\w.@]){_LOCAL} ?(?:@|\(at\)|\[at\]|\{{at\}}) ?{_DOMAIN}")
_AT = re.compile(r" ?(?:@|\(at\)|\[at\]|\{at\}) ?")
_DOT = re.compile(r" ?(?:\(dot\)|\[dot\]|\{dot\}|\(punkt\)|\[punkt\]) ?")
_CUT = re.compile(r"@(?:[\w.-]*[\w]?\.)?$|@$")
_MAILTO = re.compile(r"mailto:([^?\s]{3,254})", re.IGNORECASE)
_ROLES = frozenset({"info", "office", "jobs", "hr", "contact", "kontakt", "personal", "bewerbung", "sales", "support"})
_MOST = 8


@dataclass(frozen=True, slots=True)
class Mail:
    """One address with its line number; -1 if only a link contains it."""

    address: str
    line: int


def mails(lines: list[SectionedLine], links: Iterable[str]) -> list[Mail]:
    """Return the addresses that are probably the candidate's, most likely first."""
    theirs: set[str] = set()
    found: dict[str, Mail] = {}
    for line, text in _joined(lines):
        of_others = line.part is CvSection.OTHERS or _is_of_others(lines, line.number)
        for address in _addresses(text):
            if of_others:
                theirs.add(address.casefold())
            elif len(found) < _MOST:
                found.setdefault(address.casefold(), Mail(address, line.number))
    linked = [a for link in links if (m := _MAILTO.match(link)) and (a := _valid(m[1]))]
    for address in linked:
        if address.casefold() not in theirs and len(found) < _MOST:
            found.setdefault(address.casefold(), Mail(address, -1))
    return sorted(found.values(), key=lambda mail: (_is_a_role(mail.address), mail.line < 0, mail.line))


def _joined(lines: list[SectionedLine]) -> Iterable[tuple[SectionedLine, str]]:
    """Yield lines, with addresses joined that a line end splits at their @ or after a dot of their domain."""
    skip = -1
    for at, line in enumerate(lines):
        text = line.text
        if at == skip:
            continue
        if at + 1 < len(lines):
            after = lines[at + 1].text
            if (
                _CUT.search(text)
                or re.match(rf"@{_DOMAIN}", after)
                or ("@" in text and re.match(r"\.\w{2,10}$", after))
            ):
                text, skip = text + after, at + 1
        yield line, _DOT.sub(".", text)


def _addresses(text: str) -> Iterable[str]:
    for found in _ADDRESS.finditer(text):
        if text[found.end() : found.end() + 1] == "-" or found[0].endswith("-"):
            continue  # it continues in the next line, and the hyphen may or may not belong to it
        if address := _valid(_AT.sub("@", found[0], count=1)):
            yield address


def _valid(text: str) -> str | None:
    try:
        # "example" and "test" domains are accepted: nothing is looked up.
        return validate_email(text.strip(" .,;"), check_deliverability=False, globally_deliverable=False).normalized
    except EmailNotValidError:
        return None


def _is_of_others(lines: list[SectionedLine], number: int) -> bool:
    """Return whether the line, or one of the two before it, names a manager or a referee."""
    if lines[number].part is CvSection.TOP and number < 8:
        return False
    return any(EMPLOYER.search(plain(line.text)) for line in lines[max(0, number - 2) : number + 1])


def _is_a_role(address: str) -> bool:
    return address.partition("@")[0].casefold() in _ROLES
