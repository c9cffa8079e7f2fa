"""The blueprint of the feeds and of the APIs of other job boards."""

from functools import partial

from flask import Blueprint

from portal.jobs.mirror import version
from portal.services import Services
from portal.site.feeds import boards, feeds
from portal.site.feeds.streaming import FeedStreaming
from portal.site.page_cache import PageCache


def blueprint(services: Services) -> Blueprint:
    """Return the blueprint of every feed, and of the APIs that other programs know (boards.py)."""
    pages = Blueprint("reach", __name__)
    sending = FeedStreaming(services, PageCache(services.clock, partial(version.current, services.database)))
    feeds.add_to(pages, services, sending)
    boards.add_to(pages, services, sending)
    return pages
