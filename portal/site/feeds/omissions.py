"""Which open jobs have no JobPosting, and why: for `portal check`."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from portal.jobs.open_jobs import open_postings
from portal.platform.database.db import Database
from portal.site.feeds.formats import FEEDS
from portal.site.feeds.job_posting import Needed, lacking
from portal.site.feeds.streaming import feed_context
from portal.tenants.model import Tenant

_MAX_NAMED = 3


@dataclass(slots=True)
class _Lack:
    count: int = 0
    some: list[str] = field(default_factory=list)

    def add(self, posting_id: str) -> None:
        self.count += 1
        if len(self.some) < _MAX_NAMED:
            self.some.append(posting_id)

    def __str__(self) -> str:
        more = f" and {self.count - len(self.some)} more" if self.count > len(self.some) else ""
        return f"{self.count} ({', '.join(self.some)}{more})"


def summary(db: Database, tenant: Tenant, now: datetime) -> str:
    """Return one line about the tenant's open jobs that search engines see incompletely. Reads every posting."""
    lacks: dict[Needed, _Lack] = {}
    jobs, without, salaries = 0, 0, 0
    for posting in open_postings(db, tenant, now):
        needed = lacking(posting)
        jobs += 1
        without += bool(needed)
        salaries += posting.salary is not None
        for one in needed:
            lacks.setdefault(one, _Lack()).add(posting.id)
    if without:
        reasons = "; ".join(f"{needed} is missing in {lack}" for needed, lack in sorted(lacks.items()))
        line = f"{without} of {jobs} open jobs have no JobPosting, so job searches do not list them: {reasons}"
    else:
        line = f"every open job ({jobs}) has its JobPosting"
    if salaries and tenant.publish.salary_unit is None:
        line += f"; [publish] salary_unit is not set: the salary of {salaries} is not told to them"
    return line


_SHOWN = 5


def shortcomings(db: Database, tenant: Tenant, now: datetime, *, base_url: str) -> Iterator[tuple[str, str]]:
    """Yield (feed's name, shortcomings), one for each feed; nothing for a feed whose requirements every job meets."""
    context = feed_context(db, tenant, now, base_url=base_url)
    found: dict[tuple[str, str], list[str]] = {}
    count = 0
    for posting in open_postings(db, tenant, now):
        count += 1
        for feed in FEEDS:
            for problem in feed.problems(context, posting):
                found.setdefault((feed.name, problem), []).append(posting.id)
    lines: dict[str, list[str]] = {}
    if not context.site.origin.startswith("https://"):
        for feed in FEEDS:
            if feed.https_for:
                lines[feed.name] = [f"{feed.https_for} takes https addresses alone, and PORTAL_BASE_URL is none"]
    leaving_out = {feed.name for feed in FEEDS if feed.leaves_out}
    for (name, problem), ids in sorted(found.items()):
        more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
        left = ", left out" if name in leaving_out else ""
        line = f"{len(ids)} of {count} jobs: {problem}{left}: {', '.join(ids[:_SHOWN])}{more}"
        lines.setdefault(name, []).append(line)
    for name, all_of_it in sorted(lines.items()):
        yield name, "; ".join(all_of_it)
