"""The feeds that have an address of their own, /{slug}/NAME. A new one is a module and an entry in FEEDS."""

from functools import partial

from flask import Blueprint, Response

from portal.site.feeds import atom, indeed, json_feed, linkedin
from portal.site.feeds.feed import Feed
from portal.site.feeds.streaming import FeedStreaming
from portal.site.routing.access import public
from portal.site.routing.tenant import for_tenant
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant

FEEDS = (atom.FEED, json_feed.FEED, indeed.FEED, linkedin.FEED)


def add_to(pages: Blueprint, tenants: Tenants, sending: FeedStreaming) -> None:
    """Add GET /{slug}/feed.atom and those of the other feeds."""

    def sent(tenant: Tenant, *, feed: Feed) -> Response:
        return sending.answer(tenant, feed)

    for feed in FEEDS:
        view = public(for_tenant(tenants)(partial(sent, feed=feed)))
        pages.add_url_rule(f"/<slug>/{feed.name}", feed.name.replace(".", "_"), view)
