"""Jobs in the shape of Lever's Postings API (github.com/lever/postings-api).

A tenant's filter that is called so, or its first, is its department and its team. Levels are not in the mirror: who
filters by one finds none.
"""

from collections.abc import Iterable, Iterator

from portal.contract.bodies import LocationType
from portal.reach import facts
from portal.reach.feed import Board, Feed, listed
from portal.tenants.model import SalaryUnit
from portal.vacancies.posting import Posting

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


def posting_of(board: Board, posting: Posting) -> dict[str, object]:
    """One posting."""
    plain = facts.plain(posting.description)
    told: dict[str, object] = {
        "id": posting.id,
        "text": posting.title,
        "categories": categories(board, posting),
        "country": facts.code(posting),
        "createdAt": int(facts.since(posting).timestamp() * 1000),
        "opening": "",
        "openingPlain": "",
        "description": posting.description,
        "descriptionPlain": plain,
        "descriptionBody": posting.description,
        "descriptionBodyPlain": plain,
        "lists": [],
        "additional": "",
        "additionalPlain": "",
        "hostedUrl": board.site.job(posting.id),
        "applyUrl": board.site.apply(posting.id),
        "workplaceType": _WORKPLACE.get(posting.location_type or "", "unspecified"),
    }
    pay = _pay(board, posting)
    return {**told, "salaryRange": pay} if pay else told


def categories(board: Board, posting: Posting) -> dict[str, object]:
    """What postings are filtered and grouped by."""
    location = facts.place_of(board.tenant, posting)
    found: dict[str, object] = {"allLocations": [location] if location else []}
    if location:
        found["location"] = location
    if commitment := facts.EMPLOYMENT.get(posting.employment_type or ""):
        found["commitment"] = commitment
    if posting.team:
        found["department"] = found["team"] = posting.team
    return found


def grouped(board: Board, postings: Iterable[Posting], by: str) -> list[dict[str, object]]:
    """By one of their categories, in the order of its values; those without it last."""
    groups: dict[str, list[object]] = {}
    for posting in postings:
        groups.setdefault(str(categories(board, posting).get(by, "")), []).append(posting_of(board, posting))
    return [
        {"title": title, "postings": groups[title]} for title in sorted(groups, key=lambda title: (not title, title))
    ]


def _pay(board: Board, posting: Posting) -> dict[str, object] | None:
    """Only with its period, which the shape wants."""
    unit = board.tenant.publish.salary_unit
    if posting.salary is None or unit is None or (said := facts.amounts(posting.salary)) is None:
        return None
    code = facts.currency(posting.salary)
    low, high = (facts.whole(amount) for amount in said)
    return {"currency": code, "interval": _INTERVAL[unit], "min": low, "max": high} if code else None


def _write(board: Board, postings: Iterable[Posting]) -> Iterator[str]:
    yield "[\n"
    yield from listed(facts.as_json(posting_of(board, posting)) for posting in postings)
    yield "\n]\n"


FEED = Feed("lever", "application/json", _write)
