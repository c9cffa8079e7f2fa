"""Indeed's XML feed (docs.indeed.com/indeed-apply/xml-feed).

Indeed accepts only complete feeds, so every job on the site is in it, even one that lacks what Indeed requires; `portal
check` names those. The feed contains no HTML entities, which Indeed does not know.
"""

from collections.abc import Iterable, Iterator

from portal.contract.bodies import EmploymentType, LocationType
from portal.jobs.posting import Posting
from portal.site.feeds import facts
from portal.site.feeds.feed import Feed, FeedContext, break_entities, cdata, without_entities

_JOB_TYPE: dict[str, str] = {
    EmploymentType.FULL_TIME: "fulltime",
    EmploymentType.PART_TIME: "parttime",
    EmploymentType.TEMPORARY: "temporary",
    EmploymentType.INTERNSHIP: "internship",
}
_REMOTE: dict[str, str] = {LocationType.REMOTE: "Fully remote", LocationType.HYBRID: "Hybrid remote"}


def _write(context: FeedContext, postings: Iterable[Posting]) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="utf-8"?>\n<source>\n'
    yield cdata("publisher", break_entities(context.tenant.name)) + cdata("publisherurl", context.site.jobs()) + "\n"
    for posting in postings:
        yield _job(context, posting)
    yield "</source>\n"


def _job(context: FeedContext, posting: Posting) -> str:
    where = posting.place
    members = (
        ("title", posting.title),
        ("date", facts.rfc3339(facts.published_at(posting))),
        ("referencenumber", posting.id),
        ("requisitionid", posting.id),
        ("url", context.site.job(posting.id)),
        ("company", context.tenant.name),
        ("sourcename", context.tenant.name),
        ("city", where.city),
        ("state", where.region),
        ("country", where.country),
        ("postalcode", where.postal_code),
        ("streetaddress", where.street),
        ("description", without_entities(posting.description)),
        ("salary", _salary(context, posting)),
        ("category", posting.team),
        ("jobtype", _JOB_TYPE.get(posting.employment_type or "")),
        ("expirationdate", facts.rfc3339(posting.end_at) if posting.end_at else None),
        ("remotetype", _REMOTE.get(posting.location_type or "")),
    )
    return f"<job>{''.join(cdata(name, break_entities(text or '')) for name, text in members)}</job>\n"


def _salary(context: FeedContext, posting: Posting) -> str | None:
    """Return the salary if its period is known: without a period the amount has no meaning."""
    unit = context.tenant.publish.salary_unit
    if posting.salary is None or unit is None or (amounts := facts.amounts(posting.salary)) is None:
        return None
    low, high = (facts.rounded(amount) for amount in amounts)
    amount = f"{low}" if low == high else f"{low} - {high}"
    return f"{amount} {posting.salary.currency or ''}".strip() + f" per {facts.PERIOD[unit]}"


def _problems(_context: FeedContext, posting: Posting) -> list[str]:
    required = {
        "city": posting.place.city,
        "country": facts.country_code(posting),
        "description": posting.description,
    }
    return [f"no {name}" for name, value in required.items() if not value]


FEED = Feed("indeed.xml", "application/xml", _write, _problems)
