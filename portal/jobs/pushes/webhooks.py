"""A company's own webhook: its events, signed according to Standard Webhooks, and the outbox's handler that sends them.

An event's id is the subject of its row in the outbox, so it stays the same however often the event is sent. Its content
is the job as it is when it is sent; an event that a later one of the same job has replaced is not sent any more.
"""

import base64
import hashlib
import hmac
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

import httpx
import sqlalchemy as sa

from portal.adapters.tracker_client.deadline import DeadlineTransport
from portal.adapters.tracker_client.errors import Rejected
from portal.background.outbox.claim import Claim
from portal.background.outbox.states import OutboxState, Result
from portal.background.outbox.worker import Handler
from portal.gateway.metrics_access import is_loopback
from portal.jobs.posting import Posting
from portal.jobs.pushes.search_engines import PushClient, PushHandler, SearchEngineUrls
from portal.jobs.pushes.tables import Channel, push_looks, pushes
from portal.jobs.search import search
from portal.platform.clock import Clock
from portal.platform.config.variables import is_public
from portal.platform.database.db import Database
from portal.tenants.addresses import addresses
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant
from portal.tenants.webhooks import Webhooks, signing_key

log = logging.getLogger(__name__)

_GONE = 410


def gone_mark(webhooks: Webhooks) -> str:
    """Return the version in `push_looks` of a webhook that has answered 410; it changes with the section."""
    return f"gone:{webhooks.fingerprint}"


def signature(secrets: Sequence[str], event_id: str, timestamp: int, body: bytes) -> str:
    """Return the value of `webhook-signature`: one for each secret, so that receivers can change to the next."""
    signed = f"{event_id}.{timestamp}.".encode() + body
    made = (hmac.new(signing_key(secret), signed, hashlib.sha256).digest() for secret in secrets)
    return " ".join(f"v1,{base64.b64encode(one).decode()}" for one in made)


@dataclass(frozen=True, slots=True)
class _Event:
    posting_id: str
    is_open: bool
    changed_at: datetime


class WebhookHandler:
    """Sends one event to a company's webhook. transport: refuses private networks."""

    def __init__(
        self, db: Database, tenants: Tenants, clock: Clock, transport: httpx.BaseTransport, *, base_url: str
    ) -> None:
        self._db = db
        self._tenants = tenants
        self._clock = clock
        self._base_url = base_url
        self._line = PushClient("the webhook", transport, clock)

    def deliver(self, claimed: Claim) -> Result:
        """Make one attempt; raises TenantMissing and only subclasses of TrackerError.

        Returns OVERTAKEN if a later event is about the job, the company has no webhook any more, or it has answered
        410.
        """
        tenant = self._tenants.require(claimed.tenant)
        event = self._find(tenant, claimed.subject)
        body = event and self._body(tenant, claimed.subject, event)
        if not body or not tenant.webhooks.jobs:
            return Result.OVERTAKEN
        now = int(self._clock.now().timestamp())
        headers = {
            "Content-Type": "application/json",
            "webhook-id": claimed.subject,
            "webhook-timestamp": str(now),
            "webhook-signature": signature(tenant.webhooks.secrets, claimed.subject, now, body),
        }
        try:
            self._line.post(tenant.webhooks.jobs, body, headers)
        except Rejected as refused:
            if refused.status != _GONE:
                raise
            self._end(tenant)
            return Result.OVERTAKEN
        return Result.DELIVERED

    def settled(
        self, connection: sa.Connection, subjects: Sequence[str], state: OutboxState, outcome: str | None
    ) -> None:
        """Do nothing: a receiver that missed an event reads jobs.json."""

    def _find(self, tenant: Tenant, event_id: str) -> _Event | None:
        p, look = pushes.c, push_looks.c
        mine = (p.tenant == tenant.slug, p.channel == Channel.JOB_WEBHOOK, p.batch == event_id)
        theirs = (look.tenant == tenant.slug, look.channel == Channel.JOB_WEBHOOK)
        with self._db.read() as connection:
            if connection.scalar(sa.select(look.version).where(*theirs)) == gone_mark(tenant.webhooks):
                return None
            row = connection.execute(sa.select(p.posting_id, p.is_open, p.changed_at).where(*mine)).one_or_none()
        return _Event(row.posting_id, bool(row.is_open), row.changed_at) if row else None

    def _body(self, tenant: Tenant, event_id: str, event: _Event) -> bytes | None:
        """Return the request's body; None if the job closed meanwhile, which the next event reports."""
        found = search.posting(self._db, tenant, event.posting_id, self._clock.now())
        if event.is_open and not isinstance(found, Posting):
            return None
        site = addresses(tenant, base_url=self._base_url)
        data: dict[str, object] = {
            "tenant": tenant.slug,
            "id": event.posting_id,
            "title": found.title if found else None,
            "url": site.absolute(site.job(event.posting_id)),
            "status": "open" if event.is_open else "closed",
        }
        if event.is_open and isinstance(found, Posting):
            data |= _facts(found, tenant)
        payload = {"type": f"job.{event_id.partition('_')[0]}", "timestamp": _instant(event.changed_at), "data": data}
        return json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()

    def _end(self, tenant: Tenant) -> None:
        mine = (push_looks.c.tenant == tenant.slug, push_looks.c.channel == Channel.JOB_WEBHOOK)
        self._db.run(push_looks.update().where(*mine).values(version=gone_mark(tenant.webhooks)))
        log.error("the webhook of %s answers 410: nothing is sent until its tenant file changes", tenant.slug)


def _facts(posting: Posting, tenant: Tenant) -> dict[str, object]:
    """Return the facts on a job page that depend on no language, named as in jobs.json."""
    place, offer = posting.place, posting.salary
    return {
        "language": posting.language,
        "city": place.city,
        "region": place.region,
        "country": place.country,
        "employmentType": posting.employment_type,
        "locationType": posting.location_type,
        "client": posting.client,
        "salary": offer
        and {"currency": offer.currency, "min": offer.low, "max": offer.high, "unit": tenant.publish.salary_unit},
        "updatedAt": _instant(posting.modified_at),
        "closesAt": posting.end_at and _instant(posting.end_at),
    }


def _instant(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def push_handlers(
    db: Database,
    tenants: Tenants,
    clock: Clock,
    sockets: httpx.BaseTransport,
    search_engine_urls: SearchEngineUrls,
    *,
    base_url: str,
) -> tuple[dict[str, Handler], dict[str, Handler]]:
    """Return the handlers by kind, for search engines and for webhooks; each group has threads of its own.

    sockets: for search engines, whose addresses are not chosen by tenants.
    """
    to_internet = DeadlineTransport(may_reach=reachable_from(base_url))
    engine = PushHandler(db, tenants, clock, sockets, search_engine_urls, base_url=base_url)
    webhook = WebhookHandler(db, tenants, clock, to_internet, base_url=base_url)
    return {Channel.INDEX_NOW: engine, Channel.GOOGLE: engine}, {Channel.JOB_WEBHOOK: webhook}


def reachable_from(base_url: str) -> Callable[[str], bool]:
    """Return a check of a webhook's IP address: it must be public; for a demo on this machine, loopback is allowed
    too."""
    if is_loopback(urlsplit(base_url).hostname or ""):
        return lambda address: is_public(address) or is_loopback(address)
    return is_public
