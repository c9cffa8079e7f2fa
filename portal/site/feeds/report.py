"""What keeps jobs out of feeds, or from being accepted by a feed's readers: for `portal check`."""

from collections.abc import Iterator

from portal.jobs import open_jobs
from portal.services import Services
from portal.site.feeds.feeds import FEEDS
from portal.site.feeds.linkedin import FEED as LINKEDIN
from portal.site.feeds.streaming import board_of
from portal.tenants.model import Tenant

_SHOWN = 5


def shortcomings(services: Services, tenant: Tenant) -> Iterator[tuple[str, str]]:
    """Yield (feed's name, shortcomings), one for each feed; nothing for a feed whose requirements every job meets."""
    board = board_of(services, tenant)
    found: dict[tuple[str, str], list[str]] = {}
    count = 0
    for posting in open_jobs.open_postings(services.database, tenant, services.clock.now()):
        count += 1
        for feed in FEEDS:
            for fault in feed.lacks(board, posting):
                found.setdefault((feed.name, fault), []).append(posting.id)
    lines: dict[str, list[str]] = {}
    if not board.site.origin.startswith("https://"):
        lines[LINKEDIN.name] = ["LinkedIn takes https addresses alone, and PORTAL_BASE_URL is none"]
    for (name, fault), ids in sorted(found.items()):
        more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
        left = ", left out" if name == LINKEDIN.name else ""
        line = f"{len(ids)} of {count} jobs: {fault}{left}: {', '.join(ids[:_SHOWN])}{more}"
        lines.setdefault(name, []).append(line)
    for name, all_of_it in sorted(lines.items()):
        yield name, "; ".join(all_of_it)
