"""Notices to Google and, by IndexNow, to other search engines; and the outbox's handlers, which send them.

A service account signs its own access requests (RFC 7523): its file comes from Google, and it has to be an owner of the
site in Search Console.
"""

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import httpx
import sqlalchemy as sa
from cryptography.exceptions import UnsupportedAlgorithm
from pydantic import BaseModel, ValidationError

from portal.adapters.tracker_client.deadline import exchange
from portal.adapters.tracker_client.errors import (
    KeyRefused,
    NotSent,
    Redirected,
    Rejected,
    TemporarilyUnavailable,
    Throttled,
    TrackerError,
)
from portal.adapters.tracker_client.outcome import pause_of
from portal.background.outbox.claim import Claim
from portal.background.outbox.states import OutboxState, Result
from portal.jobs.pushes.tables import Channel, pushes
from portal.platform.clock import Clock
from portal.platform.database.db import Database
from portal.platform.errors import SettingsError
from portal.tenants.addresses import addresses
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant

_ANSWER_MOST = 100_000
_SECONDS = 20.0
ENDPOINT = "https://api.indexnow.org/indexnow"


@dataclass(frozen=True, slots=True)
class PushClient:
    """HTTP client for search engines. who: the search engine's name in errors."""

    who: str
    transport: httpx.BaseTransport
    clock: Clock

    def post(self, address: str, body: bytes, headers: Mapping[str, str]) -> dict[str, object]:
        """Return the response's JSON object, {} without one; raise only kinds of TrackerError. Follows no redirects."""
        own = {"User-Agent": "careers-portal", "Accept-Encoding": "identity", **headers}
        request = httpx.Request("POST", address, content=body, headers=own)
        with exchange(self.clock, _SECONDS):
            outcome = self._exchanged(request)
        # Raised here, outside any handler: the transport's exceptions hold the request, which holds the token.
        if isinstance(outcome, TrackerError):
            raise outcome
        return outcome

    def _exchanged(self, request: httpx.Request) -> dict[str, object] | TrackerError:
        try:
            response = self.transport.handle_request(request)
        except httpx.TransportError as exc:
            return NotSent(f"{self.who} cannot be reached ({type(exc).__name__})", operation=self.who)
        try:
            if not response.is_success:
                return self._refusal(response)
            body = b""
            for chunk in response.iter_raw():
                body += chunk
                if len(body) > _ANSWER_MOST:
                    break
        except httpx.TransportError as exc:
            return TemporarilyUnavailable(
                f"the connection to {self.who} broke ({type(exc).__name__})", operation=self.who
            )
        finally:
            response.close()
        return _object(body)

    def _refusal(self, response: httpx.Response) -> TrackerError:
        status, who = response.status_code, self.who
        if status == 429:
            pause = pause_of(response.headers.get("Retry-After"), now=self.clock.now())
            message = f"{who} asks to wait {pause:.0f} s"
            return Throttled(message, operation=who, status=status, retry_after=pause)
        if status in {401, 403}:
            return KeyRefused(f"{who} refuses our key ({status})", operation=who, status=status)
        if 300 <= status < 400:
            return Redirected(f"{who} redirects, which is not followed", operation=who, status=status)
        if status >= 500 or status in {408, 425}:
            return TemporarilyUnavailable(f"{who} is temporarily unavailable ({status})", operation=who, status=status)
        return Rejected(f"{who} refuses what we tell it ({status})", operation=who, status=status)


def _object(body: bytes) -> dict[str, object]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


PUBLISH = "https://indexing.googleapis.com/v3/urlNotifications:publish"
_SCOPE = "https://www.googleapis.com/auth/indexing"
_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
_LIFE = 3_600
_RENEWED_BEFORE = 300


class Account(BaseModel):
    """The fields that are used of a service account's file."""

    client_email: str
    private_key: str
    token_uri: str


@dataclass(slots=True)
class Google:
    """Client for the Indexing API; caches the access token. publish: URL to which notices are sent."""

    line: PushClient
    publish: str = PUBLISH
    _tokens: dict[tuple[Path, str], tuple[str, float]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def notify(self, file: Path, address: str, *, is_open: bool) -> None:
        """Notify Google that a page changed or is gone. Raises SettingsError (file) and TrackerError."""
        account = account_of(file)
        body = {"url": address, "type": "URL_UPDATED" if is_open else "URL_DELETED"}
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._token(file, account)}"}
        self.line.post(self.publish, json.dumps(body).encode(), headers)

    def _token(self, file: Path, account: Account) -> str:
        with self._lock:
            token, until = self._tokens.get((file, account.private_key), ("", 0.0))
            if not token or self.line.clock.monotonic() >= until:
                form = {"grant_type": _GRANT, "assertion": assertion(account, round(self.line.clock.now().timestamp()))}
                headers = {"Content-Type": "application/x-www-form-urlencoded"}
                answer = self.line.post(account.token_uri, urlencode(form).encode(), headers)
                token = str(answer.get("access_token") or "")
                if not token:
                    raise TemporarilyUnavailable("Google gave no token", operation=self.line.who)
                self._tokens = {
                    (file, account.private_key): (token, self.line.clock.monotonic() + _LIFE - _RENEWED_BEFORE)
                }
            return token


def account_of(file: Path) -> Account:
    """Return the service account in a file from Google. SettingsError names the file and nothing of its content."""
    try:
        return Account.model_validate_json(file.read_bytes())
    except (OSError, ValidationError):
        pass  # raised below, because the validator's error contains the key
    raise SettingsError(f"[push] google: {file} is not the JSON file of a service account, or cannot be read")


def assertion(account: Account, now: int) -> str:
    """Return a JSON web token valid for an hour, signed with RS256. now: seconds since 1970.

    Raises SettingsError if the account's private_key is not an RSA key in PEM, or is encrypted.
    """
    import jwt  # here, because only workers that notify Google need it

    claims = {"iss": account.client_email, "scope": _SCOPE, "aud": account.token_uri, "iat": now, "exp": now + _LIFE}
    try:
        return jwt.encode(claims, account.private_key, algorithm="RS256")
    except (jwt.InvalidKeyError, UnsupportedAlgorithm, TypeError, AttributeError):
        pass  # TypeError: the key is encrypted; AttributeError: it is a public key. Raised below, without the key
    raise SettingsError("[push] google: the file's private_key is no RSA key")


@dataclass(frozen=True, slots=True)
class IndexNow:
    """Client for IndexNow. endpoint: of any participating search engine; each notifies the others."""

    line: PushClient
    endpoint: str = ENDPOINT

    def notify(self, key: str, key_file: str, addresses: Sequence[str]) -> None:
        """Submit URLs of changed and deleted pages. key_file: URL of the key's file. Raises TrackerError."""
        host = urlsplit(key_file).netloc
        body = {"host": host, "key": key, "keyLocation": key_file, "urlList": list(addresses)}
        headers = {"Content-Type": "application/json; charset=utf-8"}
        self.line.post(self.endpoint, json.dumps(body).encode(), headers)


@dataclass(frozen=True, slots=True)
class SearchEngineUrls:
    """URLs of the search engines; tests use a server of their own."""

    index_now: str = ENDPOINT
    google: str = PUBLISH


class PushHandler:
    """Notifies one channel of the postings in a batch."""

    def __init__(
        self,
        db: Database,
        tenants: Tenants,
        clock: Clock,
        transport: httpx.BaseTransport,
        urls: SearchEngineUrls,
        *,
        base_url: str,
    ) -> None:
        self._db = db
        self._tenants = tenants
        self._base_url = base_url
        self._google = Google(PushClient("Google", transport, clock), urls.google)
        self._index_now = IndexNow(PushClient("IndexNow", transport, clock), urls.index_now)

    def deliver(self, claimed: Claim) -> Result:
        """Make one attempt; raises TenantMissing, SettingsError and only subclasses of TrackerError.

        Returns OVERTAKEN if later batches have all of its postings, or the company does not use this channel any more.
        """
        query = sa.select(pushes.c.posting_id, pushes.c.is_open).where(
            pushes.c.tenant == claimed.tenant, pushes.c.channel == claimed.kind, pushes.c.batch == claimed.subject
        )
        found = [(row.posting_id, bool(row.is_open)) for row in self._db.rows(query)]
        tenant = self._tenants.require(claimed.tenant)
        notified = found and self._tell(tenant, Channel(claimed.kind), found)
        return Result.DELIVERED if notified else Result.OVERTAKEN

    def settled(
        self, connection: sa.Connection, subjects: Sequence[str], state: OutboxState, outcome: str | None
    ) -> None:
        """Do nothing: pages that could not be submitted are in the sitemap."""

    def _tell(self, tenant: Tenant, channel: Channel, found: list[tuple[str, bool]]) -> bool:
        """Send the notices; return False if the company does not use this channel."""
        site = addresses(tenant, base_url=self._base_url)
        if channel is Channel.GOOGLE and tenant.push.google:
            for posting_id, is_open in found:
                self._google.notify(tenant.push.google, site.absolute(site.job(posting_id)), is_open=is_open)
            return True
        if channel is Channel.INDEX_NOW and tenant.push.index_now:
            key = tenant.push.index_now
            pages = [site.in_language(tag) for tag in tenant.site.locales]
            urls = [one.absolute(one.job(posting_id)) for posting_id, _ in found for one in pages]
            self._index_now.notify(key, site.absolute(site.push_key(key)), urls)
            return True
        return False
