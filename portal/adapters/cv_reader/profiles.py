"""Finds the candidate's profile: LinkedIn, XING, GitHub and similar sites, or a website of their own."""

import re
from collections.abc import Iterable

from portal.adapters.cv_reader.sections import CvSection, SectionedLine
from portal.adapters.cv_reader.vocabulary import EMPLOYER, plain

_KNOWN = (
    re.compile(r"(?:[a-z]{2,3}\.)?linkedin\.com/(?:in|pub)/[\w%.~-]{2,100}", re.IGNORECASE),
    re.compile(r"xing\.com/profile/[\w%.~-]{2,100}", re.IGNORECASE),
    re.compile(r"github\.com/[a-z\d](?:[a-z\d-]{0,38})(?![\w/-])", re.IGNORECASE),
    re.compile(r"gitlab\.com/[\w.-]{2,100}(?![\w/-])", re.IGNORECASE),
    re.compile(r"(?:behance\.net|dribbble\.com)/[\w.-]{2,100}(?![\w/-])", re.IGNORECASE),
)
_OWN = re.compile(
    r"\b(?:web|website|webseite|homepage|portfolio|site|site web|sitio web|pagina web|strona|strona www|www|sito|"
    r"sito web|blog)\s*:\s*((?:https?://)?(?:www\.)?[\w-]+(?:\.[\w-]+){1,4}(?:/[\w.~%/-]*)?)",
    re.IGNORECASE,
)


def profile(lines: list[SectionedLine], links: Iterable[str]) -> str | None:
    """Return its URL with http:// or https://; None unless it is clearly the candidate's own."""
    own = [line for line in lines if line.part is not CvSection.OTHERS and not EMPLOYER.search(plain(line.text))]
    others = "\n".join(line.text for line in lines if line.part is CvSection.OTHERS).casefold()
    text = "\n".join(_whole(own))
    targets = "\n".join(link for link in links if link.casefold().startswith(("http://", "https://")))
    for known in _KNOWN:
        shown = [m[0] for m in known.finditer(text)]
        linked = [m[0] for m in known.finditer(targets) if m[0].casefold() not in others]
        # The visible URL may be cut off at the end of its line; the link's target is complete.
        found = next((t for s in shown for t in linked if t.casefold().startswith(s.casefold())), None)
        different = {each.casefold().rstrip("./") for each in (linked or shown)}
        if found or (len(different) == 1 and (linked or shown)):
            return "https://" + (found or (linked or shown)[0]).rstrip(".-/")
    for line in own:
        if line.part in (CvSection.TOP, CvSection.CONTACT) and (site := _OWN.search(line.text)):
            address = site[1].rstrip(".")
            return address if address.casefold().startswith("http") else f"https://{address}"
    return None


def _whole(lines: list[SectionedLine]) -> Iterable[str]:
    """Yield lines, continued with the next one if they end in the middle of a profile's URL."""
    for at, line in enumerate(lines):
        after = lines[at + 1].text if at + 1 < len(lines) else ""
        yield line.text + after.split(" ")[0] if re.search(r"\.com/(?:in/|profile/)?$", line.text) else line.text
