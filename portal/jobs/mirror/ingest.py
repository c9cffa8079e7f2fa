"""The allow-list: which fields of a service's vacancy may enter the database, prepared for storing.

Sections named § are of the interface document. All fields of §2.3 that are not listed here are dropped: team, contacts,
scorecards, tasks, totals, and attributes other than those that the tenant file names (attributes.py).
"""

import math
import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b

from portal.adapters.tracker_client.page import FieldSelection
from portal.background.sync.state import rules_with_source
from portal.contract.bodies import EmploymentType, LocationType
from portal.contract.bounds import PUBLIC_ID
from portal.contract.shapes import Location
from portal.contract.vacancies import Vacancy
from portal.jobs.places.country import country_code
from portal.jobs.places.gazetteer import Spot, region_of, town, unit_vector
from portal.jobs.places.postcodes import find_postcodes
from portal.jobs.places.reach import reach_of
from portal.jobs.places.regions import find_regions, region
from portal.jobs.posting import JobLocation
from portal.jobs.search.occupations import table_version
from portal.jobs.tables import ALWAYS, NEVER
from portal.jobs.text import cleaning
from portal.jobs.text.language import language_of
from portal.jobs.text.opening import without_title
from portal.platform.crypto.normal_forms import JOINERS, composed
from portal.tenants.model import PublishSettings, Tenant

INGEST_VERSION = 7
"""Increase this when the same vacancy would be stored differently, so that the next sync stores it again."""

_TITLE_MOST = 300
_STAGE_MOST = 200
_PAID_MOST = 1e12
"""The largest salary that is believed, in any currency and for any period."""
_PLACE_MOST = 200
_LINE_READ = 10_000
"""Characters of a line that are examined, including those that are then removed."""
_UNPRINTABLE = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
_EMPLOYMENT_TYPES: frozenset[str] = frozenset(EmploymentType)
_LOCATION_TYPES: frozenset[str] = frozenset(LocationType)
_NOWHERE: dict[str, object] = dict.fromkeys(("x", "y", "z", "area"))


_ALWAYS_READ: FieldSelection = {
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
DETAIL: FieldSelection = {"id": None, "customAttributes": {"attributeDefinitionId": None, "value": None}}
"""Fields of a vacancy's detail (§2.4) for posting ids by attribute and for filters by attribute."""


class Unusable(ValueError):
    """A record that cannot become a posting; the message names the field, never its value."""


@dataclass(frozen=True, slots=True)
class PublicVacancy:
    """What is stored of one vacancy: its columns of `vacancies` (facts) and of `vacancy_texts` (texts).

    The fingerprint changes with any field that is read of the vacancy.
    """

    vacancy_id: str
    fingerprint: str
    facts: dict[str, object]
    texts: dict[str, object]


def fields_to_read(publish: PublishSettings) -> FieldSelection:
    """Return the fields that this module reads; errors in other fields cannot make a vacancy unreadable."""
    shown: dict[str, FieldSelection] = {}
    if publish.show_salary:
        shown["salaryRange"] = {"salaryRange": {"currency": None, "min": None, "max": None}}
    if publish.show_client:
        shown["client"] = {"client": {"name": None}}
    return {**_ALWAYS_READ, **shown}


def is_detail_wanted(vacancy: Vacancy, publish: PublishSettings) -> bool:
    """Return whether its detail is needed: if the vacancy is published and the tenant's rules use attributes."""
    return uses_details(publish) and stage_of(vacancy) in publish.stages


def uses_details(publish: PublishSettings) -> bool:
    """Return whether the tenant's rules use attributes, which only the detail has (§2.4)."""
    return publish.posting_attribute is not None or bool(publish.facets)


def fingerprint(vacancy: Vacancy, tenant: Tenant) -> str:
    """Return a hash of all fields read: much cheaper than whitelist(), and the same hash means the same result."""
    publish = tenant.publish
    made_by = (INGEST_VERSION, table_version(), *(["detail"] if is_detail_wanted(vacancy, publish) else []))
    rules = (*made_by, publish.posting_attribute, tenant.site.locales[0], sorted(publish.facets.values()))
    fields = vacancy.model_dump(exclude_defaults=True)
    return blake2b(repr((rules, fields)).encode("utf-8", "backslashreplace"), digest_size=16).hexdigest()


def public_part_of(vacancy: Vacancy, tenant: Tenant, now: datetime) -> PublicVacancy:
    """Return the allowed part of a vacancy under the tenant's rules; raise Unusable if it has no id or name."""
    if not vacancy.id or len(vacancy.id) > 500 or not vacancy.id.isprintable():
        raise Unusable("id: expected printable text")
    title = single_line(vacancy.name.name if vacancy.name else None, _TITLE_MOST)
    if title is None:
        raise Unusable("name: missing or empty")
    written = (vacancy.description.description if vacancy.description else None) or ""
    about = without_title(cleaning.SHARED.clean(written, whose=tenant.slug), title)
    plain = cleaning.plain(about)
    place, point = _place(vacancy.location.location if vacancy.location else None)
    created_at, start_at, end_at = _dates(vacancy)
    texts = {
        "title": title,
        "description": about,
        "plain": plain,
        "language": language_of(f"{title} . {plain}", tenant.site.locales[0].split("-")[0]),
        "region": place.region,
        "postal_code": place.postal_code,
        "street": place.street,
        "latitude": place.latitude,
        "longitude": place.longitude,
        "created_at": created_at,
        "start_at": start_at,
        "end_at": end_at,
        **_salary(vacancy, shown=tenant.publish.show_salary),
        "client": _client(vacancy) if tenant.publish.show_client else None,
    }
    facts = {"country": place.country or "", "city": place.city or "", **_facts(vacancy, now), **point}
    return PublicVacancy(vacancy.id, fingerprint(vacancy, tenant), facts, texts)


def _facts(vacancy: Vacancy, now: datetime) -> dict[str, object]:
    kind, way = vacancy.employment_type, vacancy.location_type
    created_at, start_at, end_at = _dates(vacancy)
    # When it became public, as far as the service says; dates in the future do not count.
    dates = [at for at in (created_at, start_at) if at is not None and at <= now]
    return {
        "stage": stage_of(vacancy),
        "employment_type": _one_of(_EMPLOYMENT_TYPES, kind.employment_type if kind else None),
        "location_type": _one_of(_LOCATION_TYPES, way.location_type if way else None),
        "opens_at": start_at or ALWAYS,
        "closes_at": end_at or NEVER,
        "dated_at": max(dates, default=now),
    }


def _dates(vacancy: Vacancy) -> tuple[datetime | None, datetime | None, datetime | None]:
    """Return createdAt, startAt and endAt."""
    created, start, end = vacancy.created_at, vacancy.start_at, vacancy.end_at
    return (
        _in_every_zone(created.created_at if created else None),
        _in_every_zone(start.start_at if start else None),
        _in_every_zone(end.end_at if end else None),
    )


def _in_every_zone(at: datetime | None) -> datetime | None:
    """Return the nearest instant that is between the years 1 and 9999 in every time zone."""
    return None if at is None else min(max(at, ALWAYS), NEVER)


def rules_hash(tenant: Tenant) -> str:
    """Return a hash of the settings in a tenant file that change what is stored, with its service."""
    publish = tenant.publish
    shown = (publish.show_salary, publish.show_client, sorted(publish.facets.values()))
    rules = (sorted(publish.stages), publish.posting_attribute, *shown)
    return rules_with_source(tenant.tracker, repr((INGEST_VERSION, table_version(), rules)))


def stages_hash(publish: PublishSettings) -> str:
    """Return a hash of the published stages."""
    return blake2b(repr(sorted(publish.stages)).encode(), digest_size=16).hexdigest()


def usable_posting_id(value: object) -> str | None:
    """Return a custom attribute's value as a posting id, or None if it cannot be part of a URL."""
    text = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return text if PUBLIC_ID.fullmatch(text) else None


def single_line(text: str | None, most: int) -> str | None:
    """Return one line of text as stored: printable, NFC, single spaces, at most `most` characters; None if empty."""
    if not text:
        return None
    text = text[:_LINE_READ]
    if not text.isprintable():
        text = "".join(c for c in " ".join(text.split()) if c in JOINERS or unicodedata.category(c) not in _UNPRINTABLE)
    return " ".join(composed(text).split())[:most].strip() or None


def stage_of(vacancy: Vacancy) -> str:
    """Return the name of its stage, "" for none; a name that is too long for the database's indexes is none."""
    name = vacancy.stage.stage.name if vacancy.stage and vacancy.stage.stage else None
    return name if name and len(name) <= _STAGE_MOST and "\x00" not in name else ""


def _one_of(known: frozenset[str], value: str | None) -> str:
    return value if value in known else ""


def _salary(vacancy: Vacancy, *, shown: bool) -> dict[str, object]:
    salary = vacancy.salary_range.salary_range if vacancy.salary_range and shown else None
    if salary is None or not _can_be_paid(salary.min, salary.max):
        return dict.fromkeys(("salary_currency", "salary_low", "salary_high"))
    code = (salary.currency or "").strip().upper()
    currency = code if re.fullmatch("[A-Z]{3}", code) else single_line(salary.currency, 20)
    return {"salary_currency": currency, "salary_low": salary.min, "salary_high": salary.max}


def _can_be_paid(low: float | None, high: float | None) -> bool:
    """Return whether the amounts are plausible: one typing error would make a list that shows salaries useless."""
    given = [amount for amount in (low, high) if amount is not None]
    return bool(given) and all(0 <= amount <= _PAID_MOST for amount in given) and given == sorted(given)


def _client(vacancy: Vacancy) -> str | None:
    return single_line(vacancy.client.client.name, _TITLE_MOST) if vacancy.client and vacancy.client.client else None


def _place(location: Location | None) -> tuple[JobLocation, dict[str, object]]:
    """Return the location by name; and x, y and z of a point on the unit sphere, with the code of the region."""
    if location is None:
        return JobLocation(), {**_NOWHERE, "area": reach_of("")}
    city, country = single_line(location.city, _PLACE_MOST), single_line(location.country, _PLACE_MOST)
    if city is None and country is None:
        city, country = _from_one_line(location)
    code = country_code(country) if country else None
    latitude, longitude = _coordinates(location)
    spot = town(city or "", code or "")
    area = single_line(location.region, _PLACE_MOST) or single_line(location.state, _PLACE_MOST)
    postal_code = single_line(location.postal_code, 20)
    point: dict[str, object] = {**_NOWHERE, "area": _area(area or "", city or "", spot, code or country or "")}
    if latitude is not None and longitude is not None:
        point |= _point(latitude, longitude)
    elif spot or (spot := _by_postcode(postal_code or "", code or "")):
        point |= _point(spot.latitude, spot.longitude)
    street = (
        ", ".join(
            filter(None, (single_line(location.street1, _PLACE_MOST), single_line(location.street2, _PLACE_MOST)))
        )
        or None
    )
    return JobLocation(city, area, postal_code, code or country, street, latitude, longitude), point


def _by_postcode(text: str, country: str) -> Spot | None:
    found = find_postcodes(text, [country]) if text and country else []
    return found[0].spot if found and found[0].spot.country == country else None


def _area(text: str, city: str, spot: Spot | None, country: str) -> str | None:
    """Return the code of the region named in full or in short ("BY"), else of the town's region; or a reach code."""
    if not country:
        return reach_of(city)
    named = [each.code for each in find_regions(text) if each.country == country]
    short = region(f"{country}-{text.upper()}")
    return (named[0] if named else short.code if short else region_of(spot) if spot else "") or None


def _point(latitude: float, longitude: float) -> dict[str, object]:
    return dict(zip("xyz", unit_vector(latitude, longitude), strict=True))


def _from_one_line(location: Location) -> tuple[str | None, str | None]:
    """Return city and country where the service has them in one line only: "Salzburg, Austria"."""
    text = single_line(location.raw_city_country, _PLACE_MOST) or single_line(location.formatted_address, _PLACE_MOST)
    parts = [part.strip() for part in (text or "").split(",") if part.strip()]
    if len(parts) > 1 and country_code(parts[-1]):
        return re.sub(r"\b[A-Z]*\d[\w-]*\b", "", parts[-2]).strip() or None, parts[-1]
    if len(parts) == 1:
        return (None, parts[0]) if country_code(parts[0]) else (parts[0], None)
    return None, None


def _coordinates(location: Location) -> tuple[float | None, float | None]:
    latitude, longitude = location.latitude, location.longitude
    if latitude is None or longitude is None or not (math.isfinite(latitude) and math.isfinite(longitude)):
        return None, None
    if abs(latitude) > 90 or abs(longitude) > 180 or (latitude == 0 and longitude == 0):
        return None, None  # systems that do not know the location write 0, 0
    return latitude, longitude
