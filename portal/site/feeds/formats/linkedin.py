"""LinkedIn's XML feed of Basic Jobs (learn.microsoft.com, linkedin/talent/job-postings/xml-feeds-development-guide).

Jobs that LinkedIn would reject are left out; `portal check` names them. `companyId` and the poster's address are agreed
with LinkedIn for each company; the portal does not know them.
"""

from collections.abc import Iterable, Iterator
from email.utils import format_datetime

from portal.contract.bodies import EmploymentType
from portal.jobs.posting import Posting
from portal.site.feeds import facts
from portal.site.feeds.feed import Feed, FeedContext, cdata, strip_illegal_xml

MAX_ID = 40
MAX_TITLE = 200
MIN_DESCRIPTION = 100
MAX_DESCRIPTION = 25_000
"""Characters of a description."""

_JOB_TYPE: dict[str, str] = {
    EmploymentType.FULL_TIME: "FULL_TIME",
    EmploymentType.PART_TIME: "PART_TIME",
    EmploymentType.TEMPORARY: "TEMPORARY",
    EmploymentType.INTERNSHIP: "INTERNSHIP",
}


def _write(context: FeedContext, postings: Iterable[Posting]) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="utf-8"?>\n<source>\n'
    yield cdata("lastBuildDate", format_datetime(context.changed_at, usegmt=True))
    yield cdata("publisher", context.tenant.name) + cdata("publisherURL", context.site.jobs()) + "\n"
    count = 0
    for posting in postings:
        if not _problems(context, posting):
            count += 1
            yield _job(context, posting)
    # After the jobs, because only then it is known: a feed is written in one pass and never held in memory.
    yield f"<expectedJobCount>{count}</expectedJobCount>\n</source>\n"


def _job(context: FeedContext, posting: Posting) -> str:
    where = posting.place
    members = (
        ("partnerJobId", posting.id),
        ("company", context.tenant.name),
        ("title", posting.title),
        ("description", posting.description),
        ("applyUrl", context.site.job(posting.id)),
        ("location", facts.location_text(context.tenant, posting)),
        ("city", where.city),
        ("state", where.region),
        ("country", where.country),
        ("postalCode", where.postal_code),
        ("jobtype", _JOB_TYPE.get(posting.employment_type or "")),
        ("workplaceTypes", facts.LOCATION.get(posting.location_type or "")),
        ("listDate", facts.rfc3339(facts.published_at(posting))),
        ("expirationDate", facts.rfc3339(posting.end_at) if posting.end_at else None),
    )
    return f"<job>{''.join(cdata(name, text) for name, text in members)}</job>\n"


def _problems(context: FeedContext, posting: Posting) -> list[str]:
    length = len(strip_illegal_xml(posting.description))
    problems = {
        f"an id of more than {MAX_ID} characters": len(posting.id) > MAX_ID,
        f"a title of more than {MAX_TITLE} characters": len(posting.title) > MAX_TITLE,
        f"a description of fewer than {MIN_DESCRIPTION} characters": length < MIN_DESCRIPTION,
        f"a description of more than {MAX_DESCRIPTION:,} characters": length > MAX_DESCRIPTION,
        "no place": not facts.location_text(context.tenant, posting),
    }
    return [problem for problem, applies in problems.items() if applies]


FEED = Feed("linkedin.xml", "application/xml", _write, _problems, leaves_out=True, https_for="LinkedIn")
