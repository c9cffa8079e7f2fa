"""What a public posting is, and what a search for postings asks and answers. Only whitelisted fields exist here."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from portal.vacancies.where import Where


@dataclass(frozen=True, slots=True)
class Place:
    """Where a job is. `country` is ISO 3166-1 alpha-2 where it could be told, else what the service says.

    reach: what stands in the place of a city and is none, such as "Anywhere in the European Union".
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
    """As the tenant shows it. `currency` is an ISO 4217 code where the service gave one."""

    currency: str | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Attribute:
    """What a job has of a filter that the tenant names. name: in addresses. label: None for the client."""

    name: str
    label: str | None
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Posting:
    """One public job. `description` is sanitised HTML; `salary` and `client` only where the tenant shows them.

    employment_type and location_type: contract values, or None (also when the service sends a value unknown to us).
    """

    id: str
    title: str
    description: str
    place: Place
    employment_type: str | None
    location_type: str | None
    created_at: datetime | None
    start_at: datetime | None
    end_at: datetime | None
    salary: Salary | None
    client: str | None
    language: str
    """Of title and description, ISO 639-1."""
    modified_at: datetime
    """When the mirror last saw it change; for ETag, feeds and sitemap."""
    attributes: tuple[Attribute, ...] = ()
    team: str | None = None
    """What other systems call its department."""


FACETS = {
    "country": "countries",
    "city": "cities",
    "employment_type": "employment_types",
    "location_type": "location_types",
}
"""The filters, and which member of Query and Results has the values of each."""


class Sort(StrEnum):
    """Order of a list."""

    RELEVANCE = "relevance"
    DATE = "date"


@dataclass(frozen=True, slots=True)
class Query:
    """What a visitor asked for. Values within a filter are alternatives; filters narrow each other.

    near: name of a place, region or country, or a postal code; within_km counts with a place only. after: the opaque
    place of the next page. attributes: (name of a filter in addresses, values), by name; the name `team` is also the
    tenant's department.
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
class Choice:
    """One value of a filter and how many postings it would leave, all other filters applied.

    place: of a city, which one it is, for comparing only.
    """

    value: str
    count: int
    chosen: bool
    place: str = ""


@dataclass(frozen=True, slots=True)
class AttributeChoices:
    """A filter that the tenant names, or the client. name: in addresses. label: None for the client."""

    name: str
    label: str | None
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A posting in a list. `summary` is plain text; `marks` are (start, end) code point ranges to highlight.

    distance_km: from the place that was searched near; None without one, and where we do not know where the job is.
    comes_remote: it can be done from anywhere in the country of the place that was searched near.
    """

    posting: Posting
    summary: str
    title_marks: tuple[tuple[int, int], ...] = ()
    summary_marks: tuple[tuple[int, int], ...] = ()
    distance_km: float | None = None
    comes_remote: bool = False


@dataclass(frozen=True, slots=True)
class Results:
    """A page of a list, with its filters."""

    hits: tuple[Hit, ...]
    total: int
    cities: tuple[Choice, ...]
    countries: tuple[Choice, ...]
    employment_types: tuple[Choice, ...]
    location_types: tuple[Choice, ...]
    next: str | None
    corrected: str | None = None
    """The words searched for instead, when a typo was forgiven."""
    wordless: bool = False
    """`text` has no word, and narrows nothing."""
    near_unknown: bool = False
    """`near` named no place that we know, and narrows nothing."""
    where: Where | None = None
    """What `near` was taken to mean."""
    near_guessed: bool = False
    """No place is called as `near` says; `where` is called nearly so."""
    within_km: int = 0
    """How far from a place the list reaches; 0 where it names none."""
    remote: int = 0
    """Of `total`, those that can be done from anywhere in the country of the place that was searched near."""
    others: tuple[Where, ...] = ()
    """What else `near` may mean."""
    attributes: tuple[AttributeChoices, ...] = ()
    ignored: tuple[str, ...] = ()
    """Values of filters that were asked for and that nothing here has or had, as they were asked for."""
    first: int | None = None
    """The number in the list of the first of `hits`, from 1; None where it is not known."""


@dataclass(frozen=True, slots=True)
class Closed:
    """A posting that was public and no longer is, with open jobs like it."""

    id: str
    title: str
    similar: tuple[Hit, ...]
