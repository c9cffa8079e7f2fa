"""Jobs in the format of Lever's Postings API (github.com/lever/postings-api).

Department and team are the job's value of the tenant's filter of that name, or else of its first filter. The mirror has
no levels: a search by level finds nothing.
"""

from collections.abc import Iterable, Iterator

from portal.contract.bodies import LocationType
from portal.jobs.posting import Posting
from portal.site.feeds import facts
from portal.site.feeds.feed import Feed, FeedContext, json_array_items
from portal.tenants.model import SalaryUnit

_WORKPLACE: dict[str, str] = {
    LocationType.REMOTE: "remote",
    LocationType.HYBRID: "hybrid",
    LocationType.ONSITE: "on-site",
}
_INTERVAL = {
    SalaryUnit.HOUR: "per-hour-wage",
    SalaryUnit.DAY: "per-day-wage",
    SalaryUnit.WEEK: "per-week-salary",
    SalaryUnit.MONTH: "per-month-salary",
    SalaryUnit.YEAR: "per-year-salary",
}


def posting_of(context: FeedContext, posting: Posting) -> dict[str, object]:
    """Return one posting."""
    plain = facts.plain(posting.description)
    job: dict[str, object] = {
        "id": posting.id,
        "text": posting.title,
        "categories": categories(context, posting),
        "country": facts.country_code(posting),
        "createdAt": int(facts.published_at(posting).timestamp() * 1000),
        "opening": "",
        "openingPlain": "",
        "description": posting.description,
        "descriptionPlain": plain,
        "descriptionBody": posting.description,
        "descriptionBodyPlain": plain,
        "lists": [],
        "additional": "",
        "additionalPlain": "",
        "hostedUrl": context.site.job(posting.id),
        "applyUrl": context.site.apply(posting.id),
        "workplaceType": _WORKPLACE.get(posting.location_type or "", "unspecified"),
    }
    pay = _pay(context, posting)
    return {**job, "salaryRange": pay} if pay else job


def categories(context: FeedContext, posting: Posting) -> dict[str, object]:
    """Return the values by which postings are filtered and grouped."""
    location = facts.location_text(context.tenant, posting)
    found: dict[str, object] = {"allLocations": [location] if location else []}
    if location:
        found["location"] = location
    if commitment := facts.EMPLOYMENT.get(posting.employment_type or ""):
        found["commitment"] = commitment
    if posting.team:
        found["department"] = found["team"] = posting.team
    return found


def grouped(context: FeedContext, postings: Iterable[Posting], by: str) -> list[dict[str, object]]:
    """Return the postings grouped by one of their categories, sorted by its values; those without it last."""
    groups: dict[str, list[object]] = {}
    for posting in postings:
        groups.setdefault(str(categories(context, posting).get(by, "")), []).append(posting_of(context, posting))
    return [
        {"title": title, "postings": groups[title]} for title in sorted(groups, key=lambda title: (not title, title))
    ]


def _pay(context: FeedContext, posting: Posting) -> dict[str, object] | None:
    """Return the salary with its period, which the format requires; None if that is not known."""
    unit = context.tenant.publish.salary_unit
    if posting.salary is None or unit is None or (amounts := facts.amounts(posting.salary)) is None:
        return None
    code = facts.currency(posting.salary)
    low, high = (facts.rounded(amount) for amount in amounts)
    return {"currency": code, "interval": _INTERVAL[unit], "min": low, "max": high} if code else None


def _write(context: FeedContext, postings: Iterable[Posting]) -> Iterator[str]:
    yield "[\n"
    yield from json_array_items(facts.as_json(posting_of(context, posting)) for posting in postings)
    yield "\n]\n"


FEED = Feed("lever", "application/json", _write)
