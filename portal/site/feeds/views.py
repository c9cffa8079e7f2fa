"""The blueprint of the feeds and of the APIs of other job boards."""

from functools import partial

from flask import Blueprint, Response

from portal.delivery.uploads.disk_space import FreeSpace
from portal.gateway.concurrency import ConcurrencyLimit
from portal.jobs.mirror import version
from portal.platform.clock import Clock
from portal.platform.database.db import Database
from portal.site.feeds import boards
from portal.site.feeds.feed import Feed
from portal.site.feeds.formats import FEEDS
from portal.site.feeds.streaming import FeedStreaming
from portal.site.page_cache import PageCache
from portal.site.routing.access import public
from portal.site.routing.tenant import for_tenant
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant


def blueprint(
    database: Database, tenants: Tenants, clock: Clock, room: ConcurrencyLimit, *, base_url: str, space: FreeSpace
) -> Blueprint:
    """Return the blueprint of every feed, and of the APIs that other programs know (boards.py)."""
    pages = Blueprint("reach", __name__)
    kept = PageCache(clock, partial(version.current, database))
    sending = FeedStreaming(database, clock, room, kept, base_url=base_url, space=space)
    _add_feeds(pages, tenants, sending)
    boards.add_to(pages, tenants, database, clock, sending)
    return pages


def _add_feeds(pages: Blueprint, tenants: Tenants, sending: FeedStreaming) -> None:
    """Add GET /{slug}/feed.atom and those of the other feeds: /{slug}/NAME for each module in formats/."""

    def sent(tenant: Tenant, *, feed: Feed) -> Response:
        return sending.answer(tenant, feed)

    for feed in FEEDS:
        view = public(for_tenant(tenants)(partial(sent, feed=feed)))
        pages.add_url_rule(f"/<slug>/{feed.name}", feed.name.replace(".", "_"), view)
