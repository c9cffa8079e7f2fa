"""Jobs in the format of Greenhouse's Job Board API (developers.greenhouse.io/job-board.html).

The department is the job's value of the tenant's filter of that name, or else of its first filter; a job without one is
in that API's "No Department". A city is an office. Applications go through the portal's own form, to which
`absolute_url` links; the questions describe what it asks.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from html import escape
from tempfile import TemporaryFile

from portal.jobs.posting import Posting
from portal.site.feeds import facts
from portal.site.feeds.feed import Feed, FeedContext, json_array_items
from portal.tenants.words import words_of

_JSON = "application/json"
_NO_DEPARTMENT: dict[str, object] = {"id": 0, "name": "No Department", "parent_id": None, "child_ids": []}


def board_of(context: FeedContext) -> dict[str, object]:
    """Return the description of the board."""
    return {
        "name": context.tenant.name,
        "content": escape(words_of(context.tenant, context.tenant.site.locales[0]).about or ""),
    }


def job(context: FeedContext, posting: Posting, *, questions: bool, pay: bool) -> dict[str, object]:
    """Return one job with all its fields."""
    entry = _with_content(context, posting)
    if not pay:
        entry.pop("pay_input_ranges", None)
    elif "pay_input_ranges" not in entry:
        entry["pay_input_ranges"] = []
    return {**entry, **_questions(context)} if questions else entry


def _brief(context: FeedContext, posting: Posting) -> dict[str, object]:
    return {
        "id": facts.numeric_id(context.tenant.slug, posting.id),
        "title": posting.title,
        "location": {"name": facts.location_text(context.tenant, posting)},
        "updated_at": facts.rfc3339(posting.modified_at),
        "absolute_url": context.site.job(posting.id),
        "language": posting.language,
    }


def _listed(context: FeedContext, posting: Posting) -> dict[str, object]:
    metadata = {
        "Employment Type": facts.EMPLOYMENT.get(posting.employment_type or ""),
        "Location Type": facts.LOCATION.get(posting.location_type or ""),
    }
    brief = _brief(context, posting)
    return {
        **brief,
        "internal_job_id": brief["id"],
        "requisition_id": posting.id,
        "company_name": context.tenant.name,
        "first_published": facts.rfc3339(facts.published_at(posting)),
        "metadata": [
            {"id": number, "name": name, "value_type": "single_select", "value": value}
            for number, (name, value) in enumerate(metadata.items(), start=1)
            if value
        ],
    }


def _with_content(context: FeedContext, posting: Posting) -> dict[str, object]:
    office = _office(context, posting)
    entry = {
        **_listed(context, posting),
        "content": escape(posting.description),
        "departments": [_department(posting)],
        "offices": [office] if office else [],
    }
    if posting.salary and (amounts := facts.amounts(posting.salary)) and (code := facts.currency(posting.salary)):
        low, high = (round(amount * 100) for amount in amounts)
        unit = context.tenant.publish.salary_unit
        title = f"Salary per {facts.PERIOD[unit]}" if unit else "Salary"
        entry["pay_input_ranges"] = [
            {"min_cents": low, "max_cents": high, "currency_type": code, "title": title, "blurb": None}
        ]
    return entry


def _department(posting: Posting) -> dict[str, object]:
    if posting.team is None:
        return _NO_DEPARTMENT
    return {"id": _number(posting.team), "name": posting.team, "parent_id": None, "child_ids": []}


def _number(name: str) -> int:
    return int.from_bytes(blake2b(name.encode(), digest_size=4).digest(), "big")


def _office(context: FeedContext, posting: Posting) -> dict[str, object] | None:
    name = facts.location_text(context.tenant, posting)
    if not name:
        return None
    city = posting.place.city or name
    return {"id": _number(name), "name": city, "location": name, "parent_id": None, "child_ids": []}


def _questions(context: FeedContext) -> dict[str, object]:
    def asked(label: str, name: str, kind: str = "input_text", *, required: bool = True) -> dict[str, object]:
        return {"required": required, "label": label, "fields": [{"name": name, "type": kind, "values": []}]}

    consent = context.tenant.apply.consent is not None
    return {
        "questions": [
            asked("First Name", "first_name"),
            asked("Last Name", "last_name"),
            asked("Email", "email"),
            asked("Phone", "phone"),
            asked("Resume/CV", "resume", "input_file"),
            asked("Website", "website", required=False),
        ],
        "location_questions": [asked("Location", "location")],
        "data_compliance": [
            {
                "type": "gdpr",
                "requires_consent": consent,
                "requires_processing_consent": consent,
                "requires_retention_consent": False,
                "retention_period": None,
            }
        ],
    }


def _jobs(context: FeedContext, postings: Iterable[Posting]) -> Iterator[str]:
    return _counted(facts.as_json(_listed(context, posting)) for posting in postings)


def _jobs_with_content(context: FeedContext, postings: Iterable[Posting]) -> Iterator[str]:
    return _counted(facts.as_json(_with_content(context, posting)) for posting in postings)


def _counted(jobs: Iterable[str]) -> Iterator[str]:
    count = 0

    def counting() -> Iterator[str]:
        nonlocal count
        for each in jobs:
            count += 1
            yield each

    yield '{"jobs":[\n'
    yield from json_array_items(counting())
    yield f'\n],"meta":{{"total":{count}}}}}\n'


def _departments(context: FeedContext, postings: Iterable[Posting]) -> Iterator[str]:
    yield '{"departments":['
    between = ""
    for department, its in _in_groups(context, postings, lambda posting: (facts.as_json(_department(posting)), "")):
        yield f'{between}{department[:-1]},"jobs":[\n'
        yield from json_array_items(its[""])
        yield "\n]}"
        between = ","
    if not between:
        yield facts.as_json({**_NO_DEPARTMENT, "jobs": []})
    yield "]}\n"


def _offices(context: FeedContext, postings: Iterable[Posting]) -> Iterator[str]:
    def groups(posting: Posting) -> tuple[str, str] | None:
        office = _office(context, posting)
        return (facts.as_json(office), facts.as_json(_department(posting))) if office else None

    yield '{"offices":['
    between = ""
    for office, departments in _in_groups(context, postings, groups):
        yield f'{between}{office[:-1]},"departments":['
        for number, (department, its) in enumerate(departments.items()):
            yield f'{"," if number else ""}{department[:-1]},"jobs":[\n'
            yield from json_array_items(its)
            yield "\n]}"
        yield "]}"
        between = ","
    yield "]}\n"


def _in_groups(
    context: FeedContext, postings: Iterable[Posting], groups: Callable[[Posting], tuple[str, str] | None]
) -> Iterator[tuple[str, dict[str, Iterator[str]]]]:
    """Yield (group, inner group → jobs). Jobs come in another order, so they are spooled to a temporary file."""
    found: dict[str, dict[str, array[int]]] = {}
    with TemporaryFile() as aside:
        for posting in postings:
            if its := groups(posting):
                found.setdefault(its[0], {}).setdefault(its[1], array("Q")).append(aside.tell())
                aside.write(facts.as_json(_brief(context, posting)).encode("utf-8", "replace") + b"\n")

        def brief(at: int) -> str:
            aside.seek(at)
            return aside.readline().decode().rstrip()

        for group, inner in found.items():
            yield group, {name: map(brief, places) for name, places in inner.items()}


JOBS = Feed("greenhouse-jobs", _JSON, _jobs)
CONTENT = Feed("greenhouse-content", _JSON, _jobs_with_content)
DEPARTMENTS = Feed("greenhouse-departments", _JSON, _departments)
OFFICES = Feed("greenhouse-offices", _JSON, _offices)
