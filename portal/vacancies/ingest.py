"""The whitelist: what of a vacancy of the service (§2.3) may enter the database, made ready to be stored.

Everything else of a vacancy, its team, contacts, scorecards, tasks, attributes and totals, ends here.
"""

import math
import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b

from babel import Locale, UnknownLocaleError

from portal.contract.bodies import EmploymentType, LocationType
from portal.contract.shapes import Location
from portal.contract.vacancies import Vacancy
from portal.tenants.model import PUBLIC_ID, Publish, Tenant
from portal.upstream.members import Members
from portal.vacancies import description
from portal.vacancies.country import country_code
from portal.vacancies.gazetteer import find_place, unit_vector
from portal.vacancies.language import language_of
from portal.vacancies.posting import Place, Salary
from portal.vacancies.tables import ALWAYS, NEVER
from portal.vacancies.words import plain_words_of, words_of

INGEST_VERSION = 2
"""Counts up when the same vacancy would be stored differently, so that the next pass stores it anew."""

_TITLE_MOST = 300
_PLACE_MOST = 200
_UNPRINTABLE = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
_JOINERS = "\u200c\u200d"
"""Invisible, but letters of Persian and parts of emoji."""
_EMPLOYMENT_TYPES: frozenset[str] = frozenset(EmploymentType)
_LOCATION_TYPES: frozenset[str] = frozenset(LocationType)


_ALWAYS_READ: Members = {
    "id": None,
    "name": {"name": None},
    "description": {"description": None},
    "stage": {"stage": {"name": None}},
    "createdAt": {"createdAt": None},
    "startAt": {"startAt": None},
    "endAt": {"endAt": None},
    "employmentType": {"employmentType": None},
    "locationType": {"locationType": None},
    "location": {
        "location": dict.fromkeys(
            [
                *("street1", "street2", "postalCode", "city", "region", "state", "country"),
                *("rawCityCountry", "formattedAddress", "latitude", "longitude"),
            ]
        )
    },
}
DETAIL: Members = {"id": None, "customAttributes": {"attributeDefinitionId": None, "value": None}}
"""What a posting id by attribute needs of a vacancy's detail (§2.4)."""


class Unusable(ValueError):
    """The record cannot become a posting; the message names the member, never its value."""


@dataclass(frozen=True, slots=True)
class Whitelisted:
    """What is stored of one vacancy. `fingerprint` changes with anything in it."""

    vacancy_id: str
    stage: str
    title: str
    description: str
    plain: str
    language: str
    place: Place
    point: tuple[float, float, float] | None
    employment_type: str | None
    location_type: str | None
    created_at: datetime | None
    start_at: datetime | None
    end_at: datetime | None
    salary: Salary | None
    client: str | None
    fingerprint: str

    @property
    def opens_at(self) -> datetime:
        """First instant at which it may be public."""
        return self.start_at or ALWAYS

    @property
    def closes_at(self) -> datetime:
        """First instant at which it may no longer."""
        return self.end_at or NEVER

    def dated_at(self, seen_at: datetime) -> datetime:
        """What it is sorted by: when it became public as far as the service says; a date to come counts for nothing."""
        said = [at for at in (self.created_at, self.start_at) if at is not None and at <= seen_at]
        return max(said, default=seen_at)


@dataclass(frozen=True, slots=True)
class IndexWords:
    """Every word of a posting, those of its title, and those that a misspelt word may have meant."""

    words: set[str]
    title: set[str]
    plain: set[str]


def index_words(title: str, text: str, where: str, country: str | None, language: str) -> IndexWords:
    """What a posting is found by. where: its other words, such as city and region."""
    where = f"{where} {country_words(country, language)}"
    of_title = words_of(title, language)
    found = of_title | words_of(where, language) | words_of(text, language)
    return IndexWords(found, of_title, plain_words_of(f"{title} {where} {text}"))


def members(publish: Publish) -> Members:
    """What the functions below read of a vacancy: nothing else can make it unreadable."""
    shown: dict[str, Members] = {}
    if publish.show_salary:
        shown["salaryRange"] = {"salaryRange": {"currency": None, "min": None, "max": None}}
    if publish.show_client:
        shown["client"] = {"client": {"name": None}}
    return {**_ALWAYS_READ, **shown}


def fingerprint(vacancy: Vacancy, tenant: Tenant) -> str:
    """Stands for everything that whitelist() would take, and much cheaper: the same fingerprint, the same result."""
    salary, client = tenant.publish.show_salary, tenant.publish.show_client
    said = (
        vacancy.name and vacancy.name.name,
        vacancy.description and vacancy.description.description,
        _stage(vacancy),
        vacancy.created_at and vacancy.created_at.created_at,
        vacancy.start_at and vacancy.start_at.start_at,
        vacancy.end_at and vacancy.end_at.end_at,
        vacancy.employment_type and vacancy.employment_type.employment_type,
        vacancy.location_type and vacancy.location_type.location_type,
        _location_facts(vacancy),
        salary and repr(_salary(vacancy)),
        client and _client(vacancy),
    )
    rules = (INGEST_VERSION, tenant.publish.posting_attribute, tenant.site.locales[0])
    return blake2b(repr((rules, said)).encode("utf-8", "backslashreplace"), digest_size=16).hexdigest()


def whitelist(vacancy: Vacancy, tenant: Tenant) -> Whitelisted:
    """The whitelisted part of a vacancy under the tenant's rules; Unusable when it has no id or name."""
    if not vacancy.id or len(vacancy.id) > 500 or not vacancy.id.isprintable():
        raise Unusable("id: expected printable text")
    title = _line(vacancy.name.name if vacancy.name else None, _TITLE_MOST)
    if title is None:
        raise Unusable("name: missing or empty")
    about = description.clean((vacancy.description.description if vacancy.description else None) or "")
    plain = description.plain(about)
    place, point = _place(vacancy.location.location if vacancy.location else None)
    kind, way = vacancy.employment_type, vacancy.location_type
    return Whitelisted(
        vacancy_id=vacancy.id,
        stage=_stage(vacancy),
        title=title,
        description=about,
        plain=plain,
        language=language_of(f"{title} . {plain}", tenant.site.locales[0].split("-")[0]),
        place=place,
        point=point,
        employment_type=_one_of(_EMPLOYMENT_TYPES, kind.employment_type if kind else None),
        location_type=_one_of(_LOCATION_TYPES, way.location_type if way else None),
        created_at=vacancy.created_at.created_at if vacancy.created_at else None,
        start_at=vacancy.start_at.start_at if vacancy.start_at else None,
        end_at=vacancy.end_at.end_at if vacancy.end_at else None,
        salary=_salary(vacancy) if tenant.publish.show_salary else None,
        client=_client(vacancy) if tenant.publish.show_client else None,
        fingerprint=fingerprint(vacancy, tenant),
    )


def rules_hash(publish: Publish) -> str:
    """Stands for everything in a tenant's file that changes what is stored."""
    rules = (sorted(publish.stages), publish.posting_attribute, publish.show_salary, publish.show_client)
    return blake2b(repr((INGEST_VERSION, rules)).encode(), digest_size=16).hexdigest()


def stages_hash(publish: Publish) -> str:
    """Stands for the stages that are public."""
    return blake2b(repr(sorted(publish.stages)).encode(), digest_size=16).hexdigest()


def usable_posting_id(value: object) -> str | None:
    """A custom attribute's value as a posting id, or None when an address cannot bear it."""
    text = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return text if PUBLIC_ID.fullmatch(text) else None


@lru_cache(maxsize=1_000)
def country_words(country: str | None, language: str) -> str:
    """Names of the country that people search by: in English and in the posting's language."""
    if not country or len(country) != 2:
        return country or ""
    names = [country]
    for tag in ("en", language):
        try:
            names.append(Locale.parse(tag).territories.get(country, ""))
        except (UnknownLocaleError, ValueError):
            continue
    return " ".join(names)


def _line(text: str | None, most: int) -> str | None:
    if not text:
        return None
    if not text.isprintable():
        text = "".join(
            c for c in " ".join(text.split()) if c in _JOINERS or unicodedata.category(c) not in _UNPRINTABLE
        )
    return " ".join(unicodedata.normalize("NFC", text).split())[:most].strip() or None


def _stage(vacancy: Vacancy) -> str:
    name = vacancy.stage.stage.name if vacancy.stage and vacancy.stage.stage else None
    return name if name and "\x00" not in name else ""


def _location_facts(vacancy: Vacancy) -> str:
    said = vacancy.location.location if vacancy.location else None
    return repr(said and [getattr(said, name) for name in Location.model_fields])


def _one_of(known: frozenset[str], value: str | None) -> str | None:
    return value if value in known else None


def _salary(vacancy: Vacancy) -> Salary | None:
    said = vacancy.salary_range.salary_range if vacancy.salary_range else None
    if said is None or (said.min is None and said.max is None):
        return None
    code = (said.currency or "").strip().upper()
    return Salary(code if re.fullmatch("[A-Z]{3}", code) else _line(said.currency, 20), said.min, said.max)


def _client(vacancy: Vacancy) -> str | None:
    return _line(vacancy.client.client.name, _TITLE_MOST) if vacancy.client and vacancy.client.client else None


def _place(said: Location | None) -> tuple[Place, tuple[float, float, float] | None]:
    if said is None:
        return Place(), None
    city, country = _line(said.city, _PLACE_MOST), _line(said.country, _PLACE_MOST)
    if city is None and country is None:
        city, country = _from_one_line(said)
    code = country_code(country) if country else None
    latitude, longitude = _coordinates(said)
    point = None
    if latitude is not None and longitude is not None:
        point = unit_vector(latitude, longitude)
    elif city and (spot := find_place(city, {code} if code else ())) and spot.country == (code or spot.country):
        point = unit_vector(spot.latitude, spot.longitude)
    street = ", ".join(filter(None, (_line(said.street1, _PLACE_MOST), _line(said.street2, _PLACE_MOST)))) or None
    return Place(
        city=city,
        region=_line(said.region, _PLACE_MOST) or _line(said.state, _PLACE_MOST),
        postal_code=_line(said.postal_code, 20),
        country=code or country,
        street=street,
        latitude=latitude,
        longitude=longitude,
    ), point


def _from_one_line(said: Location) -> tuple[str | None, str | None]:
    """City and country where the service has them in one line only: "Salzburg, Austria"."""
    text = _line(said.raw_city_country, _PLACE_MOST) or _line(said.formatted_address, _PLACE_MOST)
    parts = [part.strip() for part in (text or "").split(",") if part.strip()]
    if len(parts) > 1 and country_code(parts[-1]):
        return re.sub(r"\b[A-Z]*\d[\w-]*\b", "", parts[-2]).strip() or None, parts[-1]
    if len(parts) == 1:
        return (None, parts[0]) if country_code(parts[0]) else (parts[0], None)
    return None, None


def _coordinates(said: Location) -> tuple[float | None, float | None]:
    latitude, longitude = said.latitude, said.longitude
    if latitude is None or longitude is None or not (math.isfinite(latitude) and math.isfinite(longitude)):
        return None, None
    if abs(latitude) > 90 or abs(longitude) > 180 or (latitude == 0 and longitude == 0):
        return None, None  # 0, 0 is what systems write that know no place
    return latitude, longitude
