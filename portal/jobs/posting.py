"""Public postings, queries for them and their results. They have only fields that the allow-list lets through."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import sqlalchemy as sa

from portal.jobs.places.place_lookup import SearchLocation
from portal.jobs.tables import vacancies, vacancy_former_ids
from portal.platform.database.db import Database
from portal.tenants.model import Tenant


@dataclass(frozen=True, slots=True)
class JobLocation:
    """The location of a job. `country` is ISO 3166-1 alpha-2 if it was recognised, else the service's own text.

    reach: text in the service's city field that names no city, such as "Anywhere in the European Union".
    """

    city: str | None = None
    region: str | None = None
    postal_code: str | None = None
    country: str | None = None
    street: str | None = None
    latitude: float | None = None
    longitude: float | None = None
    reach: str | None = None


@dataclass(frozen=True, slots=True)
class Salary:
    """The salary range, if the tenant shows it. `currency` is an ISO 4217 code where the service gave one."""

    currency: str | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class PostingAttribute:
    """A posting's values for a filter that the tenant defines. name: as in URLs. label: None for the client."""

    name: str
    label: str | None
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Posting:
    """One public job. `description` is sanitised HTML; `salary` and `client` are set only if the tenant shows them.

    employment_type and location_type: contract values, or None (also if the service sends an unknown value).
    """

    id: str
    title: str
    description: str
    place: JobLocation
    employment_type: str | None
    location_type: str | None
    created_at: datetime | None
    start_at: datetime | None
    end_at: datetime | None
    salary: Salary | None
    client: str | None
    language: str
    """Language of title and description, ISO 639-1."""
    modified_at: datetime
    """When a sync last found a change; used for ETag, feeds and sitemap."""
    attributes: tuple[PostingAttribute, ...] = ()
    team: str | None = None
    """The value that other systems call the department."""


FACETS = {
    "country": "countries",
    "city": "cities",
    "employment_type": "employment_types",
    "location_type": "location_types",
}
"""The filters, each with the member of Query and Results that has its values."""


class Sort(StrEnum):
    """Order of a list of postings. Ties are broken by distance, where a place is given, then by date.

    Only the order by date is independent of the place.
    """

    RELEVANCE = "relevance"
    DISTANCE = "distance"
    DATE = "date"


@dataclass(frozen=True, slots=True)
class Query:
    """A visitor's search. Values of one filter are alternatives; a posting has to match every filter.

    near: name of a location, region or country, or a postal code; within_km applies to a location only. after: opaque
    cursor of the next page. attributes: (the filter's name in URLs, values), sorted by name; the name `team` also means
    the tenant's department.
    """

    text: str = ""
    cities: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()
    employment_types: tuple[str, ...] = ()
    location_types: tuple[str, ...] = ()
    attributes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    near: str | None = None
    within_km: int | None = None
    sort: Sort | None = None
    after: str | None = None
    size: int = 20


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One value of a filter and the number of postings with it, all other filters applied.

    place: which city it is, for comparing only; empty for other filters.
    """

    value: str
    count: int
    chosen: bool
    place: str = ""


@dataclass(frozen=True, slots=True)
class AttributeChoices:
    """A filter that the tenant defines, or the client. name: as in URLs. label: None for the client."""

    name: str
    label: str | None
    choices: tuple[FacetValue, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A posting in a list. `summary` is plain text; `marks` are (start, end) code point ranges to highlight.

    distance_km: from the location of the search; None without one, and where the job's coordinates are unknown.
    comes_remote: whether it can be done from anywhere in the country of the location of the search.
    occupation: token of the occupation (occupations.py) by which the posting was found, if not by its words.
    """

    posting: Posting
    summary: str
    title_marks: tuple[tuple[int, int], ...] = ()
    summary_marks: tuple[tuple[int, int], ...] = ()
    distance_km: float | None = None
    comes_remote: bool = False
    occupation: str | None = None


@dataclass(frozen=True, slots=True)
class Results:
    """A page of a list, with the filters' values and counts."""

    hits: tuple[Hit, ...]
    total: int
    cities: tuple[FacetValue, ...]
    countries: tuple[FacetValue, ...]
    employment_types: tuple[FacetValue, ...]
    location_types: tuple[FacetValue, ...]
    next: str | None
    corrected: str | None = None
    """The words that were searched for instead of misspelt ones."""
    wordless: bool = False
    """Whether `text` is not empty but contains no word, so that it does not narrow the list."""
    near_unknown: bool = False
    """Whether `near` matches no known location, so that it does not narrow the list."""
    place: SearchLocation | None = None
    """The location that `near` was understood as."""
    near_guessed: bool = False
    """Whether no location has the name in `near`, and `place` is one with a similar name."""
    within_km: int = 0
    """The radius around the location; 0 without a location."""
    remote: int = 0
    """How many of `total` can be done from anywhere in the country of the location of the search."""
    others: tuple[SearchLocation, ...] = ()
    """Other locations that `near` may mean."""
    attributes: tuple[AttributeChoices, ...] = ()
    ignored: tuple[str, ...] = ()
    """Requested filter values that no posting of the tenant has or had, as requested."""
    sort: Sort = Sort.DATE
    """The order of `hits`."""
    first: int | None = None
    """Position of the first of `hits` in the list, from 1; None where it is not known."""


@dataclass(frozen=True, slots=True)
class Closed:
    """A posting that was public and is not any more, with similar open jobs."""

    id: str
    title: str
    similar: tuple[Hit, ...]


def vacancy_id(db: Database, tenant: Tenant, posting_id: str) -> str | None:
    """Return the vacancy's id at the service; None if the mirror has no vacancy with that posting id, or several."""
    if tenant.publish.posting_attribute is None:
        return posting_id
    c, former = vacancies.c, vacancy_former_ids.c
    now = sa.select(c.vacancy_id).where(c.tenant == tenant.slug, c.posting_id == posting_id).limit(2)
    before = (
        sa.select(c.vacancy_id)
        .join(vacancy_former_ids, former.row == c.row)
        .where(former.tenant == tenant.slug, former.posting_id == posting_id)
    )
    with db.read() as connection:
        found = list(connection.scalars(now)) or list(connection.scalars(before))
    return found[0] if len(found) == 1 else None
