"""Where a CV's person shows their work: LinkedIn, XING, GitHub and the like, or a site of their own."""

import re
from collections.abc import Iterable

from portal.attachments.reading.sections import Part, Placed
from portal.attachments.reading.vocabulary import EMPLOYER, plain

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


def profile(lines: list[Placed], links: Iterable[str]) -> str | None:
    """An address with https://, as far as it is plain that it is their own."""
    own = [line for line in lines if line.part is not Part.OTHERS and not EMPLOYER.search(plain(line.text))]
    others = "\n".join(line.text for line in lines if line.part is Part.OTHERS).casefold()
    text = "\n".join(_whole(own))
    targets = "\n".join(link for link in links if link.casefold().startswith(("http://", "https://")))
    for known in _KNOWN:
        shown = [m[0] for m in known.finditer(text)]
        linked = [m[0] for m in known.finditer(targets) if m[0].casefold() not in others]
        # What is shown may be cut at the end of its line; the link behind it is whole.
        found = next((t for s in shown for t in linked if t.casefold().startswith(s.casefold())), None)
        different = {each.casefold().rstrip("./") for each in (linked or shown)}
        if found or (len(different) == 1 and (linked or shown)):
            return "https://" + (found or (linked or shown)[0]).rstrip(".-/")
    for line in own:
        if line.part in (Part.TOP, Part.CONTACT) and (site := _OWN.search(line.text)):
            address = site[1].rstrip(".")
            return address if address.casefold().startswith("http") else f"https://{address}"
    return None


def _whole(lines: list[Placed]) -> Iterable[str]:
    """An address that ends with its line's slash goes on in the next one."""
    for at, line in enumerate(lines):
        after = lines[at + 1].text if at + 1 < len(lines) else ""
        yield line.text + after.split(" ")[0] if re.search(r"\.com/(?:in/|profile/)?$", line.text) else line.text
