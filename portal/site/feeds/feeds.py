"""The addresses of the feeds: /{slug}/NAME for each module in formats/."""

from functools import partial

from flask import Blueprint, Response

from portal.site.feeds.feed import Feed
from portal.site.feeds.formats import FEEDS
from portal.site.feeds.streaming import FeedStreaming
from portal.site.routing.access import public
from portal.site.routing.tenant import for_tenant
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant


def add_to(pages: Blueprint, tenants: Tenants, sending: FeedStreaming) -> None:
    """Add GET /{slug}/feed.atom and those of the other feeds."""

    def sent(tenant: Tenant, *, feed: Feed) -> Response:
        return sending.answer(tenant, feed)

    for feed in FEEDS:
        view = public(for_tenant(tenants)(partial(sent, feed=feed)))
        pages.add_url_rule(f"/<slug>/{feed.name}", feed.name.replace(".", "_"), view)
