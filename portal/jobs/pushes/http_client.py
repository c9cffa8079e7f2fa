"""One request to a search engine, and the meaning of its response. Repeating a notice does no harm."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

import httpx

from portal.adapters.tracker_client.deadline import exchange
from portal.adapters.tracker_client.outcome import pause_of
from portal.platform.clock import Clock
from portal.platform.errors import KeyRefused, NotNow, NotSent, Redirected, Rejected, Throttled, UpstreamError

_ANSWER_MOST = 100_000
_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class PushClient:
    """HTTP client for search engines. who: the search engine's name in errors."""

    who: str
    transport: httpx.BaseTransport
    clock: Clock

    def post(self, address: str, body: bytes, headers: Mapping[str, str]) -> dict[str, object]:
        """Return the response's JSON object, {} without one; raise leaves of UpstreamError. Follows no redirects."""
        own = {"User-Agent": "careers-portal", "Accept-Encoding": "identity", **headers}
        request = httpx.Request("POST", address, content=body, headers=own)
        with exchange(self.clock, _SECONDS):
            outcome = self._exchanged(request)
        # Raised here, outside any handler: the transport's exceptions hold the request, which holds the token.
        if isinstance(outcome, UpstreamError):
            raise outcome
        return outcome

    def _exchanged(self, request: httpx.Request) -> dict[str, object] | UpstreamError:
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
            return NotNow(f"{self.who} broke off ({type(exc).__name__})", operation=self.who)
        finally:
            response.close()
        return _object(body)

    def _refusal(self, response: httpx.Response) -> UpstreamError:
        status, who = response.status_code, self.who
        if status == 429:
            pause = pause_of(response.headers.get("Retry-After"), now=self.clock.now())
            said = f"{who} asks to wait {pause:.0f} s"
            return Throttled(said, operation=who, status=status, retry_after=pause)
        if status in {401, 403}:
            return KeyRefused(f"{who} refuses our key ({status})", operation=who, status=status)
        if 300 <= status < 400:
            return Redirected(f"{who} redirects, which is not followed", operation=who, status=status)
        if status >= 500 or status in {408, 425}:
            return NotNow(f"{who} says that it cannot now ({status})", operation=who, status=status)
        return Rejected(f"{who} refuses what we tell it ({status})", operation=who, status=status)


def _object(body: bytes) -> dict[str, object]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
