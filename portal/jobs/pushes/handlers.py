"""The outbox's handlers of this package: those for search engines, and the one for webhooks."""

from collections.abc import Callable
from urllib.parse import urlsplit

import httpx

from portal.adapters.tracker_client.deadline import DeadlineTransport
from portal.background.outbox.worker import Handler
from portal.gateway.metrics_access import is_loopback
from portal.jobs.pushes.search_engines import Engines, PushHandler
from portal.jobs.pushes.tables import Channel
from portal.jobs.pushes.webhooks import WebhookHandler
from portal.platform.clock import Clock
from portal.platform.database.db import Database
from portal.tenants.folder import Tenants
from portal.tenants.pictures.fetching import is_public


def push_handlers(
    db: Database,
    tenants: Tenants,
    clock: Clock,
    sockets: httpx.BaseTransport,
    engines: Engines,
    *,
    base_url: str,
) -> tuple[dict[str, Handler], dict[str, Handler]]:
    """Return the handlers by kind, for search engines and for webhooks; each group has threads of its own.

    sockets: for search engines, whose addresses are not chosen by tenants.
    """
    to_internet = DeadlineTransport(may_reach=reachable_from(base_url))
    engine = PushHandler(db, tenants, clock, sockets, engines, base_url=base_url)
    webhook = WebhookHandler(db, tenants, clock, to_internet, base_url=base_url)
    return {Channel.INDEX_NOW: engine, Channel.GOOGLE: engine}, {Channel.JOB_WEBHOOK: webhook}


def reachable_from(base_url: str) -> Callable[[str], bool]:
    """Return which IP addresses a webhook may have: those of the internet, and of this machine in a demo on it."""
    if is_loopback(urlsplit(base_url).hostname or ""):
        return lambda address: is_public(address) or is_loopback(address)
    return is_public
