"""What feeds say about a job in their own words: location, dates, and identifiers for other programs."""

import json
import re
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b
from uuid import UUID, uuid5

from babel import Locale

from portal.contract.bodies import EmploymentType, LocationType
from portal.jobs.posting import Posting, Salary
from portal.site.words.locale import country, posted
from portal.tenants.model import SalaryUnit, Tenant

EMPLOYMENT: dict[str, str] = {
    EmploymentType.FULL_TIME: "Full-time",
    EmploymentType.PART_TIME: "Part-time",
    EmploymentType.TEMPORARY: "Temporary",
    EmploymentType.INTERNSHIP: "Internship",
}
"""In English, whatever the site's language: programs filter by it."""
LOCATION: dict[str, str] = {
    LocationType.REMOTE: "Remote",
    LocationType.HYBRID: "Hybrid",
    LocationType.ONSITE: "On-site",
}
PERIOD: dict[SalaryUnit, str] = {unit: unit.value.lower() for unit in SalaryUnit}

_NAMES = UUID("5d9a3c1e-0e0b-4e3f-9a55-1f1a0d6c7b21")
_DECIMAL = re.compile("[1-9][0-9]{0,14}")
_TAG = re.compile("<[^<>]*>")
_LINE_END = re.compile(r"</(?:p|h[34]|li|tr|caption|blockquote|pre)>|<br>|<hr>")
_SPACES = re.compile(r"[^\S\n]+")
_ENTITY = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&nbsp;": " ", "&amp;": "&"}


def urn(slug: str, posting_id: str = "") -> str:
    """Return a permanent name of a job (without an id, of the feed): neither a new host nor a new mirror changes it."""
    return uuid5(_NAMES, f"{slug}/{posting_id}").urn


def numeric_id(slug: str, posting_id: str) -> int:
    """Return a posting's id as a whole number below 2^53, which every JSON parser can represent.

    An id that is a number of up to 15 digits stays itself; any other becomes a hash above all of those.
    """
    if _DECIMAL.fullmatch(posting_id):
        return int(posting_id)
    digest = blake2b(f"{slug}/{posting_id}".encode(), digest_size=8).digest()
    return 2**52 + int.from_bytes(digest, "big") % 2**52


def place(tenant: Tenant, city: str | None, country_text: str | None) -> str:
    """Return a location such as "Berlin, Germany" in the tenant's first language; empty if nothing is known."""
    name = _country(country_text, tenant.site.locales[0]) if country_text else ""
    return ", ".join(filter(None, (city, name)))


def location_text(tenant: Tenant, posting: Posting) -> str:
    """Return the location of a job."""
    return place(tenant, posting.place.city or posting.place.reach, posting.place.country)


def country_code(posting: Posting) -> str | None:
    """Return the country as ISO 3166-1 alpha-2; None if it is not known as one."""
    code = posting.place.country or ""
    return code if re.fullmatch("[A-Z]{2}", code) else None


@lru_cache(maxsize=2_000)
def _country(text: str, language: str) -> str:
    return country(text, Locale.parse(language, sep="-"))


def published_at(posting: Posting) -> datetime:
    """Return when a job was first published; if the record does not say, when it last changed."""
    return posted(posting) or posting.modified_at


def rfc3339(at: datetime) -> str:
    """Return the time in UTC, to the second."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def plain(html: str) -> str:
    """Return the text of sanitised HTML, one line for each paragraph, in time linear in the length of the text."""
    text = _TAG.sub("", _LINE_END.sub("\n", html.replace("\n", " ")))
    for entity, char in _ENTITY.items():
        text = text.replace(entity, char)
    return "\n".join(filter(None, (line.strip() for line in _SPACES.sub(" ", text).split("\n"))))


def summary(html: str, most: int = 300) -> str:
    """Return the beginning of the text in one line, cut between words."""
    text = " ".join(plain(html[: 20 * most].rpartition("<")[0] if len(html) > 20 * most else html).split())
    if len(text) <= most:
        return text
    cut = text.rfind(" ", most // 2, most)
    return text[: cut if cut > 0 else most].rstrip(" ,;:.–-") + " …"


def filter_labels(posting: Posting) -> list[str]:
    """Return the job's values of the filters that the tenant names, such as its department; without its client."""
    return [value for each in posting.attributes if each.label for value in each.values]


def amounts(salary: Salary) -> tuple[float, float] | None:
    """Return (lowest, highest); if only one is known, it is both. None without an amount."""
    low = salary.low if salary.low is not None else salary.high
    high = salary.high if salary.high is not None else salary.low
    return None if low is None or high is None else (low, high)


def currency(salary: Salary) -> str | None:
    """Return the ISO 4217 code, None if there is no valid one."""
    return salary.currency if salary.currency and re.fullmatch("[A-Z]{3}", salary.currency) else None


def rounded(value: float) -> float | int:
    """Return a whole number as int, any other rounded to two decimals."""
    return int(value) if value == int(value) else round(value, 2)


def as_json(value: object) -> str:
    """Return compact JSON without ASCII escapes, to be encoded as UTF-8."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
