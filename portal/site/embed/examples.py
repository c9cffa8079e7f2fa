"""One complete answer of each operation of this package, for /openapi.json."""

from datetime import UTC, datetime

from portal.site.embed.shapes import (
    Attribute,
    Choice,
    Company,
    CvRules,
    FieldOption,
    HowToApply,
    Jobs,
    ListedJob,
    Member,
    Notice,
    PostedSalary,
    WholeJob,
)

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
