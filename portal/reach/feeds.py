"""The feeds that have an address of their own, /{slug}/NAME. A new one is a module, and its line here."""

from functools import partial

from flask import Blueprint, Response

from portal.parts import Parts
from portal.reach import atom, indeed, json_feed, linkedin
from portal.reach.feed import Feed
from portal.reach.sending import Sending
from portal.tenants.model import Tenant
from portal.web.access import public
from portal.web.tenant import for_tenant

FEEDS = (atom.FEED, json_feed.FEED, indeed.FEED, linkedin.FEED)


def add_to(pages: Blueprint, parts: Parts, sending: Sending) -> None:
    """GET /{slug}/feed.atom and the others."""

    def sent(tenant: Tenant, *, feed: Feed) -> Response:
        return sending.answer(tenant, feed)

    for feed in FEEDS:
        view = public(for_tenant(parts.tenants)(partial(sent, feed=feed)))
        pages.add_url_rule(f"/<slug>/{feed.name}", feed.name.replace(".", "_"), view)
