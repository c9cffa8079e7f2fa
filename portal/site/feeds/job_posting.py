"""A job for search engines: schema.org's JobPosting with everything that Google requires, or none.

The dataclasses have the names and members of the vocabulary (schema.org, release 30). What Google requires has no
default, so a JobPosting without it cannot be created:
https://developers.google.com/search/docs/appearance/structured-data/job-posting
"""

import re
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Literal
from urllib.parse import urlsplit

from babel import Locale

from portal.contract.bodies import EmploymentType, LocationType
from portal.jobs.places.reach import countries_of
from portal.jobs.posting import Posting
from portal.jobs.search.attributes import is_team
from portal.jobs.text.cleaning import plain
from portal.site.words.locale import country, posted
from portal.tenants.model import SalaryUnit, Tenant


class Needed(StrEnum):
    """What Google requires and a posting may lack; the value is a phrase for operators."""

    DESCRIPTION = "a description"
    DATE = "a date (createdAt or startAt)"
    COUNTRY = "a country that is known"


@dataclass(frozen=True, slots=True)
class Lacking:
    """The reasons why a posting has no JobPosting."""

    needed: tuple[Needed, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Country:
    """A country in which applicants may be located."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PostalAddress:
    """address_country: ISO 3166-1 alpha-2."""

    street_address: str | None = None
    postal_code: str | None = None
    address_locality: str | None = None
    address_region: str | None = None
    address_country: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the work is done."""

    address: PostalAddress


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """Remote work within countries; one at least is required."""

    job_location_type: Literal["TELECOMMUTE"] = "TELECOMMUTE"
    applicant_location_requirements: Country | tuple[Country, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Organization:
    """The employer. url: the start page of its careers site. same_as: its website, and its pages in networks."""

    name: str
    url: str | None = None
    logo: str | None = None
    same_as: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyValue:
    """The posting's id, and who assigned it."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantitativeValue:
    """One amount, or a range."""

    value: float | None = None
    min_value: float | None = None
    max_value: float | None = None
    unit_text: SalaryUnit


@dataclass(frozen=True, slots=True, kw_only=True)
class MonetaryAmount:
    """currency: ISO 4217."""

    currency: str
    value: QuantitativeValue


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPosting:
    """The job. description: sanitised HTML that is not empty."""

    title: str
    description: str
    date_posted: date
    hiring_organization: Organization
    where: Place | Remote
    """A job has a place, or is remote within a country."""
    identifier: PropertyValue
    valid_through: datetime | None = None
    employment_type: str | None = None
    employment_unit: Organization | None = None
    base_salary: MonetaryAmount | None = None
    direct_apply: bool = True
    """The application form that the page links to is short and needs no account."""


_EMPLOYMENT = {
    EmploymentType.FULL_TIME: "FULL_TIME",
    EmploymentType.PART_TIME: "PART_TIME",
    EmploymentType.TEMPORARY: "TEMPORARY",
    EmploymentType.INTERNSHIP: "INTERN",
}
_CODE = re.compile("[A-Z]{2}")
_CURRENCY = re.compile("[A-Z]{3}")


def lacking(posting: Posting) -> tuple[Needed, ...]:
    """Return which facts required by Google the posting lacks; () if it can be shown."""
    there = {
        Needed.DESCRIPTION: plain(posting.description),
        Needed.DATE: posted(posting),
        Needed.COUNTRY: _CODE.fullmatch(posting.place.country or "") or _reached(posting),
    }
    return tuple(needed for needed, found in there.items() if not found)


def job_posting(posting: Posting, tenant: Tenant, *, home: str, locale: Locale) -> JobPosting | Lacking:
    """Return the markup of a job's page. home: absolute address of the tenant's list. locale: that of the page."""
    since, needed = posted(posting), lacking(posting)
    if since is None or needed:
        return Lacking(needed)
    return JobPosting(
        title=posting.title,
        description=posting.description,
        date_posted=since.date(),
        hiring_organization=Organization(name=posting.client) if posting.client else organization(tenant, home),
        where=_where(posting, locale),
        identifier=PropertyValue(name=tenant.name, value=posting.id),
        valid_through=posting.end_at,
        employment_type=_EMPLOYMENT.get(posting.employment_type) if posting.employment_type else None,  # type: ignore[call-overload]
        employment_unit=_unit(posting),
        base_salary=_salary(posting, tenant.publish.salary_unit),
    )


_NETWORKS = re.compile(
    r"https://(www\.|[a-z]{2}\.)?(linkedin|xing|facebook|instagram|youtube|tiktok|github|x|kununu|glassdoor)\.[a-z.]{2,6}/.+"
)


def organization(tenant: Tenant, home: str) -> Organization:
    """Return the tenant as an employer. Of its links, only its website and its pages in networks identify it."""
    links = [address for _, address in tenant.site.links]
    same = tuple(link for link in links if urlsplit(link).path in {"", "/"} or _NETWORKS.fullmatch(link))
    return Organization(name=tenant.name, url=home, logo=tenant.site.logo, same_as=same or None)


def _reached(posting: Posting) -> tuple[str, ...]:
    """Return the countries of a remote job without a country whose place names a region such as the EU."""
    if posting.location_type != LocationType.REMOTE or posting.place.country or not posting.place.reach:
        return ()
    return countries_of(posting.place.reach)


def _unit(posting: Posting) -> Organization | None:
    """Return the department or team, if the tenant has a filter of that name: its first filter may be anything."""
    named = next((each.values[0] for each in posting.attributes if is_team(each.name)), None)
    return Organization(name=named) if named else None


def _where(posting: Posting, locale: Locale) -> Place | Remote:
    place, code = posting.place, posting.place.country or ""
    if reached := _reached(posting):
        names = tuple(Country(name=country(each, locale)) for each in reached)
        return Remote(applicant_location_requirements=names)
    if posting.location_type == LocationType.REMOTE:
        return Remote(applicant_location_requirements=Country(name=country(code, locale)))
    return Place(
        address=PostalAddress(
            street_address=place.street,
            postal_code=place.postal_code,
            address_locality=place.city,
            address_region=place.region,
            address_country=code,
        )
    )


def _salary(posting: Posting, unit: SalaryUnit | None) -> MonetaryAmount | None:
    """Return the salary as the page shows it, if its currency is a valid code and the tenant states the period."""
    offer = posting.salary
    if offer is None or unit is None or not _CURRENCY.fullmatch(offer.currency or ""):
        return None
    low, high = offer.low, offer.high
    if any(amount is not None and amount <= 0 for amount in (low, high)):
        return None
    if low is None or high is None or low == high:
        value = QuantitativeValue(value=high if low is None else low, unit_text=unit)
    elif low < high:
        value = QuantitativeValue(min_value=low, max_value=high, unit_text=unit)
    else:
        return None
    return MonetaryAmount(currency=offer.currency or "", value=value)
