"""The blueprint of the feeds and of the APIs of other job boards."""

from functools import partial

from flask import Blueprint

from portal.delivery.uploads.disk_space import FreeSpace
from portal.gateway.concurrency import ConcurrencyLimit
from portal.jobs.mirror import version
from portal.platform.clock import Clock
from portal.platform.database.db import Database
from portal.site.feeds import boards, feeds
from portal.site.feeds.streaming import FeedStreaming
from portal.site.page_cache import PageCache
from portal.tenants.folder import Tenants


def blueprint(
    database: Database, tenants: Tenants, clock: Clock, room: ConcurrencyLimit, *, base_url: str, space: FreeSpace
) -> Blueprint:
    """Return the blueprint of every feed, and of the APIs that other programs know (boards.py)."""
    pages = Blueprint("reach", __name__)
    kept = PageCache(clock, partial(version.current, database))
    sending = FeedStreaming(database, clock, room, kept, base_url=base_url, space=space)
    feeds.add_to(pages, tenants, sending)
    boards.add_to(pages, tenants, database, clock, sending)
    return pages
