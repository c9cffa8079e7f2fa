"""What keeps jobs out of feeds, or from being taken by who reads them: for `portal check`."""

from collections.abc import Iterator

from portal.parts import Parts
from portal.reach.feeds import FEEDS
from portal.reach.linkedin import FEED as LINKEDIN
from portal.reach.sending import board_of
from portal.tenants.model import Tenant
from portal.vacancies import whole

_SHOWN = 5


def shortcomings(parts: Parts, tenant: Tenant) -> Iterator[tuple[str, str]]:
    """(feed's name, what there is to know), one for a feed; nothing where every job has what it asks for."""
    board = board_of(parts, tenant)
    found: dict[tuple[str, str], list[str]] = {}
    count = 0
    for posting in whole.open_postings(parts.database, tenant, parts.clock.now()):
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
