"""Finds contact details in the lines of a CV: email addresses, phone numbers, and links to profiles.

This module decides which email addresses are the candidate's. Possible phone numbers are only listed, because the
country is known to the caller alone.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from email_validator import EmailNotValidError, validate_email

from portal.adapters.cv_reader import vocabulary
from portal.adapters.cv_reader.sections import CvSection, SectionedLine
from portal.adapters.cv_reader.vocabulary import EMPLOYER, plain

_NUMBER = re.compile(r"(?<![\w/.,@+-])(?:\+|00)?\(?\+?\d(?:[\d ()./\u2010-\u2013-]{5,26})\d(?![\w@])")
_DATE = re.compile(
    r"(?<![\d./-])\d{1,2}\s?[./-]\s?\d{1,2}\s?[./-]\s?\d{2,4}(?![./-]?\d)|\b(?:19|20)\d\d\s?[./\u2010-\u2013-]\s?\d{1,2}\b|"
    r"\b\d{1,2}\s?[./]\s?(?:19|20)\d\d\b|\b(?:19|20)\d\d\s{0,2}[\u2010-\u2013-]\s{0,2}(?:19|20)?\d\d\b"
)
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,8}")
_MOST_PHONES = 4
_MAX_DISTANCE = 3
"""Lines between an address and a number that belongs to it."""


def phones(lines: list[SectionedLine], mail_line: int | None) -> list[str]:
    """Return at most four numbers of 7 to 40 characters, most likely first. mail_line: of the candidate's address.

    Between jobs and schools, numbers belong to other people: there, only those near that address count.
    """
    found: dict[str, tuple[int, int]] = {}
    for line in lines:
        if line.section is CvSection.REFERENCES:
            continue
        for text, is_labelled in _numbers(lines, line):
            if line.section is CvSection.HISTORY and (
                mail_line is None or abs(line.number - mail_line) > _MAX_DISTANCE
            ):
                continue
            rank = (0 if is_labelled else 1 if text.startswith(("+", "00", "(+")) else 2, line.number)
            found.setdefault(text, rank)
    return sorted(found, key=lambda text: found[text])[:_MOST_PHONES]


def _numbers(lines: list[SectionedLine], line: SectionedLine) -> Iterator[tuple[str, bool]]:
    text = _IBAN.sub(lambda m: " " * len(m[0]), line.text)
    # Joins a number that a narrow column splits over two lines.
    after = lines[line.number + 1].text if line.number + 1 < len(lines) else ""
    if re.search(r"[+(]?\d[\d ()/-]*$", text) and re.fullmatch(r"\d{3,8}", after):
        text = f"{text} {after}"
    before = plain(lines[line.number - 1].text) if line.number else ""
    for found in _NUMBER.finditer(text):
        number = found[0].strip()
        ahead = plain(text[max(0, found.start() - 40) : found.start()])
        nearest = re.split(r"[|•·,;]|  ", ahead)[-1]
        digits = sum(char.isdigit() for char in number)
        if not 7 <= digits <= 15 or not _is_not_date(number) or _is_other_number(nearest, before, found.start()):
            continue
        if line.section is not CvSection.TOP and EMPLOYER.search(f"{before} {ahead}"):
            continue
        yield number[:40], _has_label(nearest, before, text, found.start())


def _is_not_date(number: str) -> bool:
    return not _DATE.search(number) or number.startswith(("+", "00"))


def _is_other_number(nearest: str, before: str, start: int) -> bool:
    if vocabulary.FAX.search(nearest) or vocabulary.NO_PHONE.search(nearest):
        return True
    alone = start < 3 and len(before) < 40
    return (
        alone
        and bool(vocabulary.FAX.search(before) or vocabulary.NO_PHONE.search(before))
        and not (vocabulary.PHONE.search(before))
    )


def _has_label(nearest: str, before: str, text: str, start: int) -> bool:
    if vocabulary.PHONE.search(nearest) or vocabulary.PHONE_ARABIC.search(text):
        return True
    return start < 3 and len(before) < 25 and bool(vocabulary.PHONE.search(before))


_PROFILE_SITES = (
    re.compile(r"(?:[a-z]{2,3}\.)?linkedin\.com/(?:in|pub)/[\w%.~-]{2,100}", re.IGNORECASE),
    re.compile(r"xing\.com/profile/[\w%.~-]{2,100}", re.IGNORECASE),
    re.compile(r"github\.com/[a-z\d](?:[a-z\d-]{0,38})(?![\w/-])", re.IGNORECASE),
    re.compile(r"gitlab\.com/[\w.-]{2,100}(?![\w/-])", re.IGNORECASE),
    re.compile(r"(?:behance\.net|dribbble\.com)/[\w.-]{2,100}(?![\w/-])", re.IGNORECASE),
)
_LABELLED_SITE = re.compile(
    r"\b(?:web|website|webseite|homepage|portfolio|site|site web|sitio web|pagina web|strona|strona www|www|sito|"
    r"sito web|blog)(?:\s*:\s*|\s+(?=https?://))((?:https?://)?(?:www\.)?[\w-]+(?:\.[\w-]+){1,4}(?:/[\w.~%/-]*)?)",
    re.IGNORECASE,
)


def profile(lines: list[SectionedLine], links: Iterable[str]) -> str | None:
    """Return its URL with http:// or https://; None unless it is clearly the candidate's own."""
    own = [line for line in lines if line.section is not CvSection.REFERENCES and not EMPLOYER.search(plain(line.text))]
    others = "\n".join(line.text for line in lines if line.section is CvSection.REFERENCES).casefold()
    text = "\n".join(_with_urls_joined(own))
    targets = "\n".join(link for link in links if link.casefold().startswith(("http://", "https://")))
    for known in _PROFILE_SITES:
        shown = [m[0] for m in known.finditer(text)]
        linked = [m[0] for m in known.finditer(targets) if m[0].casefold() not in others]
        # The visible URL may be cut off at the end of its line; the link's target is complete.
        found = next((t for s in shown for t in linked if t.casefold().startswith(s.casefold())), None)
        different = {each.casefold().rstrip("./") for each in (linked or shown)}
        if found or (len(different) == 1 and (linked or shown)):
            return "https://" + (found or (linked or shown)[0]).rstrip(".-/")

    def after(line: SectionedLine) -> str:
        return f" {lines[line.number + 1].text}" if line.number + 1 < len(lines) else ""

    for line in own:
        if line.section in (CvSection.TOP, CvSection.CONTACT) and (
            site := _LABELLED_SITE.search(line.text + after(line))
        ):
            address = site[1].rstrip(".")
            return address if address.casefold().startswith("http") else f"https://{address}"
    return None


def _with_urls_joined(lines: list[SectionedLine]) -> Iterable[str]:
    """Yield lines, continued with the next one if they end in the middle of a profile's URL."""
    for at, line in enumerate(lines):
        after = lines[at + 1].text if at + 1 < len(lines) else ""
        yield line.text + after.split(" ")[0] if re.search(r"\.com/(?:in/|profile/)?$", line.text) else line.text


_LOCAL = r"[\w!#$%&'*+/=?^`{}~-]+(?:\.[\w!#$%&'*+/=?^`{}~-]+){0,6}"
_DOMAIN = r"[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}"
_ADDRESS = re.compile(rf"(?<![\w.@]){_LOCAL} ?(?:@|\(at\)|\[at\]|\{{at\}}) ?{_DOMAIN}")
_AT = re.compile(r" ?(?:@|\(at\)|\[at\]|\{at\}) ?")
_DOT = re.compile(r" ?(?:\(dot\)|\[dot\]|\{dot\}|\(punkt\)|\[punkt\]) ?")
_INCOMPLETE = re.compile(r"@(?:[\w.-]*[\w]?\.)?$|@$")
_MAILTO = re.compile(r"mailto:([^?\s]{3,254})", re.IGNORECASE)
_ROLES = frozenset({"info", "office", "jobs", "hr", "contact", "kontakt", "personal", "bewerbung", "sales", "support"})
_MOST_ADDRESSES = 8


@dataclass(frozen=True, slots=True)
class FoundAddress:
    """One address with its line number; -1 if only a link contains it."""

    address: str
    line: int


def email_addresses(lines: list[SectionedLine], links: Iterable[str]) -> list[FoundAddress]:
    """Return the addresses that are probably the candidate's, most likely first."""
    theirs: set[str] = set()
    found: dict[str, FoundAddress] = {}
    for line, text in _joined(lines):
        of_others = line.section is CvSection.REFERENCES or _is_of_others(lines, line.number)
        for address in _addresses(text):
            if of_others:
                theirs.add(address.casefold())
            elif len(found) < _MOST_ADDRESSES:
                found.setdefault(address.casefold(), FoundAddress(address, line.number))
    linked = [a for link in links if (m := _MAILTO.match(link)) and (a := _valid(m[1]))]
    for address in linked:
        whole = address.casefold()
        # An address that a line end cuts off is incomplete, but the link's target is complete.
        found = {shown: mail for shown, mail in found.items() if shown == whole or not whole.startswith(shown)}
        if address.casefold() not in theirs and len(found) < _MOST_ADDRESSES:
            found.setdefault(address.casefold(), FoundAddress(address, -1))
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
                _INCOMPLETE.search(text)
                or re.match(rf"@{_DOMAIN}", after)
                or ("@" in text and re.match(r"\.\w{2,10}$", after))
            ):
                text, skip = text + after, at + 1
        yield line, _DOT.sub(".", text)


def _addresses(text: str) -> Iterable[str]:
    for found in _ADDRESS.finditer(text):
        if text[found.end() : found.end() + 1] == "-" or found[0].endswith("-"):
            continue  # the address continues on the next line, and the hyphen may or may not be part of it
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
    if lines[number].section is CvSection.TOP and number < 8:
        return False
    return any(EMPLOYER.search(plain(line.text)) for line in lines[max(0, number - 2) : number + 1])


def _is_a_role(address: str) -> bool:
    return address.partition("@")[0].casefold() in _ROLES
