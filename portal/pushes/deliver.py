"""The outbox's handlers of pushes: what a batch still says when its turn comes is told."""

from collections.abc import Sequence
from dataclasses import dataclass

import httpx
import sqlalchemy as sa

from portal.clock import Clock
from portal.db import Database
from portal.outbox.claim import Claim
from portal.outbox.states import Result, State
from portal.pushes import google, index_now
from portal.pushes.exchange import Line
from portal.pushes.google import Google
from portal.pushes.index_now import IndexNow
from portal.pushes.tables import Channel, pushes
from portal.tenants.addresses import addresses
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant


@dataclass(frozen=True, slots=True)
class Engines:
    """Where pushes go; a test has them go to a server of its own."""

    index_now: str = index_now.ENDPOINT
    google: str = google.PUBLISH


class PushHandler:
    """Tells one channel of the postings in a batch."""

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
        self._google = Google(Line("Google", transport, clock), engines.google)
        self._index_now = IndexNow(Line("IndexNow", transport, clock), engines.index_now)

    def deliver(self, claimed: Claim) -> Result:
        """One attempt; raises TenantAway, SettingsError and leaves of UpstreamError.

        Overtaken where a later batch has all of its postings, or the company does not push any more.
        """
        query = sa.select(pushes.c.posting_id, pushes.c.is_open).where(
            pushes.c.tenant == claimed.tenant, pushes.c.channel == claimed.kind, pushes.c.batch == claimed.subject
        )
        with self._db.read() as connection:
            found = [(row.posting_id, bool(row.is_open)) for row in connection.execute(query)]
        tenant = self._tenants.require(claimed.tenant)
        told = found and self._tell(tenant, Channel(claimed.kind), found)
        return Result.DELIVERED if told else Result.OVERTAKEN

    def settled(self, connection: sa.Connection, subjects: Sequence[str], state: State, outcome: str | None) -> None:
        """Nothing follows: what could not be told stands in the sitemap."""

    def _tell(self, tenant: Tenant, channel: Channel, found: list[tuple[str, bool]]) -> bool:
        """Whether the company pushes there."""
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
