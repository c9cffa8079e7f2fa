"""The models of jobs.json and jobs/{postingId}.json. They contain nothing that no page shows."""

from datetime import UTC, datetime

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from portal.contract.bodies import EmploymentType, LocationType
from portal.tenants.model import SalaryUnit


class Shape(BaseModel):
    """Members in camel case; each is always there, null where there is nothing to say."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, extra="forbid")


class Company(Shape):
    """The company that offers these jobs."""

    name: str
    url: str = Field(description="The list of its jobs, as a page.")


class PostedSalary(Shape):
    """What the company shows of a salary."""

    currency: str | None = Field(description="A code of ISO 4217.")
    min: float | None
    max: float | None
    unit: SalaryUnit | None = Field(description="What it is paid for; null where the company did not say.")


class Attribute(Shape):
    """What a job has of a filter that the company names."""

    name: str = Field(description="Parameter of the query.")
    label: str = Field(description="What the filter is called, in the language of this answer.")
    values: tuple[str, ...]


class Job(Shape):
    """A job as a card of the list shows it."""

    id: str
    title: str
    url: str = Field(description="The job as a page.")
    apply_url: str = Field(description="The application form as a page.")
    language: str = Field(description="Of title and text, ISO 639-1.")
    summary: str = Field(description="Plain text: its beginning, or where the words searched for stand.")
    city: str | None
    region: str | None
    country: str | None = Field(description="ISO 3166-1 alpha-2 where it could be told, else as the company wrote it.")
    place_name: str = Field(description="Where the job is, in one line in the language of this answer.")
    employment_type: EmploymentType | None
    employment_type_name: str | None = Field(description="The same in the language of this answer.")
    location_type: LocationType | None
    location_type_name: str | None = Field(description="The same in the language of this answer.")
    facets: tuple[Attribute, ...] = Field(description="Such as its department; of filters that the company names.")
    client: str | None = Field(description="For whom the job is, where the company shows it.")
    salary: PostedSalary | None = Field(description="Null where the company shows none.")
    posted_at: datetime | None
    updated_at: datetime
    closes_at: datetime | None


class ListedJob(Job):
    """A job in a list."""

    distance_km: float | None = Field(description="From the place that `near` names; null where it is not known.")
    distance_name: str | None = Field(description="The same in words, or that it can be done from there: remote.")


class Notice(Shape):
    """A parameter of the query that was ignored or applied differently."""

    about: str = Field(
        description="The query's parameter: q, near, within, limit, after, lang; filter for any that narrows the list."
    )
    value: str | None = Field(description="As it was asked for; null for lang.")
    says: str = Field(description="A sentence for people, in the language of this answer.")


class Choice(Shape):
    """A value of a filter."""

    value: str = Field(description="For the query.")
    name: str = Field(description="In the language of this answer.")
    count: int = Field(description="Jobs that it would leave.")


class Jobs(Shape):
    """A page of the list."""

    company: Company
    total: int
    jobs: tuple[ListedJob, ...]
    notices: tuple[Notice, ...] = Field(
        description="What was ignored or understood otherwise: a place, filter, word or language unknown here."
    )
    facets: dict[str, tuple[Choice, ...]] = Field(description="By parameter of the query.")
    next: str | None = Field(description="The address of the next page.")
    lang: str = Field(description="Language of the names.")


class FieldOption(Shape):
    """A value that may be chosen."""

    value: str
    label: str = Field(description="In the language of this answer.")


class Member(Shape):
    """What a form has to ask."""

    name: str = Field(description="Of the body's member.")
    pointer: str = Field(description="Where the member stands in the body, as errors name it: `#/location/city`.")
    label: str = Field(description="In the language of this answer, and so are help and options.")
    help: str | None = Field(description="What to say beside the field.")
    type: str = Field(description="text, email, tel, url or country.")
    required: bool
    max_length: int = Field(description="In UTF-16 units, which is how browsers count.")
    options: tuple[FieldOption, ...] | None = Field(description="Everything that may be chosen; null for free text.")


class CvRules(Shape):
    """Which files are taken."""

    label: str = Field(description="In the language of this answer, and so is help.")
    help: str
    max_bytes: int
    types: tuple[str, ...] = Field(description="Extensions, for a file field's `accept`; the content decides.")


class HowToApply(Shape):
    """What a front end has to ask, and where it sends it."""

    url: str = Field(description="Takes the application as JSON.")
    uploads_url: str = Field(description="Takes the CV first.")
    fields: tuple[Member, ...]
    cv: CvRules
    consent: str | None = Field(description="A text that has to be agreed to; then `consent` is true in the body.")
    privacy_url: str | None


class WholeJob(Job):
    """A job with its text, and how to apply for it."""

    description_html: str = Field(description="Clean HTML, with headings from h2 on.")
    apply: HowToApply


_SITE = "https://careers.example/example"
_CARD: dict[str, object] = {
    "id": "job-17",
    "title": "Welder",
    "url": f"{_SITE}/jobs/job-17",
    "apply_url": f"{_SITE}/jobs/job-17/apply",
    "language": "en",
    "summary": "You weld frames of robots, and check them.",
    "city": "Berlin",
    "region": None,
    "country": "DE",
    "place_name": "Berlin, Germany",
    "employment_type": "fullTime",
    "employment_type_name": "Full-time",
    "location_type": "onsite",
    "location_type_name": "On-site",
    "facets": (Attribute(name="facet-department", label="Department", values=("Production",)),),
    "client": None,
    "salary": PostedSalary(currency="EUR", min=42_000, max=48_000, unit="YEAR"),
    "posted_at": datetime(2026, 5, 4, 8, tzinfo=UTC),
    "updated_at": datetime(2026, 5, 6, 9, 30, tzinfo=UTC),
    "closes_at": None,
}


def _facet(value: str, name: str) -> tuple[Choice, ...]:
    return (Choice(value=value, name=name, count=1),)


JOBS = Jobs(
    company=Company(name="Example Robotics", url=f"{_SITE}/"),
    total=1,
    jobs=(ListedJob.model_validate(_CARD | {"distance_km": 3.4, "distance_name": "3 km away"}),),
    notices=(
        Notice(
            about="limit",
            value="500",
            says="A page can have 1 to 100 jobs. “500” was ignored, and this page has up to 20.",
        ),
    ),
    facets={
        "city": _facet("Berlin", "Berlin"),
        "country": _facet("DE", "Germany"),
        "employmentType": _facet("fullTime", "Full-time"),
        "locationType": _facet("onsite", "On-site"),
        "facet-department": _facet("Production", "Production"),
    },
    next=None,
    lang="en",
)


def _member(
    name: str,
    label: str,
    kind: str = "text",
    most: int = 200,
    *,
    required: bool = False,
    place: str = "#/",
    hint: str | None = None,
    options: tuple[FieldOption, ...] | None = None,
) -> Member:
    return Member(
        name=name,
        pointer=place + name,
        label=label,
        help=hint,
        type=kind,
        required=required,
        max_length=most,
        options=options,
    )


_HOME = "#/location/"
_NAMES = "If you have only one name, enter it in both fields."
JOB = WholeJob.model_validate(
    _CARD
    | {
        "description_html": "<h2>Your tasks</h2><p>You weld frames of robots, and check them.</p>",
        "apply": HowToApply(
            url=f"{_SITE}/vacancy-portal/jobs/job-17",
            uploads_url=f"{_SITE}/uploads",
            fields=(
                _member("firstName", "First name", most=100, required=True),
                _member("lastName", "Last name", most=100, required=True, hint=_NAMES),
                _member("email", "Email address", "email", 254, required=True),
                _member("phoneNumber", "Phone number", "tel", 50, required=True),
                _member("networkUrl", "Link to your profile", "url", 2048),
                _member("city", "City", place=_HOME),
                _member("region", "Region", place=_HOME),
                _member("postalCode", "Postal code", most=20, place=_HOME),
                _member(
                    "country", "Country", "country", 2, place=_HOME, options=(FieldOption(value="DE", label="Germany"),)
                ),
            ),
            cv=CvRules(
                label="CV file",
                help="PDF, Word, ODT, RTF or plain text, up to 10 MB.",
                max_bytes=10_485_760,
                types=(".pdf", ".docx", ".odt", ".rtf", ".txt", ".doc"),
            ),
            consent="We may keep your application for a year.",
            privacy_url="https://www.robotics.example/privacy",
        ),
    }
)
