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
    """(feed's name, what there is to know), a line each; nothing where every job has what every feed asks for."""
    board = board_of(parts, tenant)
    found: dict[tuple[str, str], list[str]] = {}
    count = 0
    for posting in whole.open_postings(parts.database, tenant, parts.clock.now()):
        count += 1
        for feed in FEEDS:
            for fault in feed.lacks(board, posting):
                found.setdefault((feed.name, fault), []).append(posting.id)
    if not board.site.origin.startswith("https://"):
        yield LINKEDIN.name, "LinkedIn takes https addresses alone: PORTAL_BASE_URL is not one"
    for (name, fault), ids in sorted(found.items()):
        more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
        left = ", left out" if name == LINKEDIN.name else ""
        yield name, f"{len(ids)} of {count} jobs: {fault}{left}: {', '.join(ids[:_SHOWN])}{more}"
