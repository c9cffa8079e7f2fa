"""The outbox's handlers for notices: each sends what its batch contains when its turn comes."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx
import sqlalchemy as sa

from portal.background.outbox.claim import Claim
from portal.background.outbox.states import OutboxState, Result
from portal.jobs.pushes import google
from portal.jobs.pushes.google import Google, PushClient
from portal.jobs.pushes.tables import Channel, pushes
from portal.platform.clock import Clock
from portal.platform.database.db import Database
from portal.tenants.addresses import addresses
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant

ENDPOINT = "https://api.indexnow.org/indexnow"


@dataclass(frozen=True, slots=True)
class IndexNow:
    """Client for IndexNow. endpoint: of any participating search engine; each notifies the others."""

    line: PushClient
    endpoint: str = ENDPOINT

    def tell(self, key: str, key_file: str, addresses: Sequence[str]) -> None:
        """Submit URLs of changed and deleted pages. key_file: URL of the key's file. Raises leaves of UpstreamError."""
        host = urlsplit(key_file).netloc
        body = {"host": host, "key": key, "keyLocation": key_file, "urlList": list(addresses)}
        headers = {"Content-Type": "application/json; charset=utf-8"}
        self.line.post(self.endpoint, json.dumps(body).encode(), headers)


@dataclass(frozen=True, slots=True)
class Engines:
    """URLs of the search engines; tests use a server of their own."""

    index_now: str = ENDPOINT
    google: str = google.PUBLISH


class PushHandler:
    """Notifies one channel of the postings in a batch."""

    def __init__(
        self,
        db: Database,
        tenants: Tenants,
        clock: Clock,
        transport: httpx.BaseTransport,
        engines: Engines,
        *,
        base_url: str,
    ) -> None:
        self._db = db
        self._tenants = tenants
        self._base_url = base_url
        self._google = Google(PushClient("Google", transport, clock), engines.google)
        self._index_now = IndexNow(PushClient("IndexNow", transport, clock), engines.index_now)

    def deliver(self, claimed: Claim) -> Result:
        """Make one attempt; raises TenantAway, SettingsError and leaves of UpstreamError.

        Returns OVERTAKEN if later batches have all of its postings, or the company does not use this channel any more.
        """
        query = sa.select(pushes.c.posting_id, pushes.c.is_open).where(
            pushes.c.tenant == claimed.tenant, pushes.c.channel == claimed.kind, pushes.c.batch == claimed.subject
        )
        with self._db.read() as connection:
            found = [(row.posting_id, bool(row.is_open)) for row in connection.execute(query)]
        tenant = self._tenants.require(claimed.tenant)
        told = found and self._tell(tenant, Channel(claimed.kind), found)
        return Result.DELIVERED if told else Result.OVERTAKEN

    def settled(
        self, connection: sa.Connection, subjects: Sequence[str], state: OutboxState, outcome: str | None
    ) -> None:
        """Do nothing: pages that could not be submitted are in the sitemap."""

    def _tell(self, tenant: Tenant, channel: Channel, found: list[tuple[str, bool]]) -> bool:
        """Send the notices; return False if the company does not use this channel."""
        site = addresses(tenant, base_url=self._base_url)
        if channel is Channel.GOOGLE and tenant.push.google:
            for posting_id, is_open in found:
                self._google.tell(tenant.push.google, site.absolute(site.job(posting_id)), is_open=is_open)
            return True
        if channel is Channel.INDEX_NOW and tenant.push.index_now:
            key = tenant.push.index_now
            pages = [site.in_language(tag) for tag in tenant.site.locales]
            told = [one.absolute(one.job(posting_id)) for posting_id, _ in found for one in pages]
            self._index_now.tell(key, site.absolute(site.push_key(key)), told)
            return True
        return False
