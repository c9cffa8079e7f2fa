"""One request and its answer: who gets the key, how much is read, how long it may take, and what went wrong.

Requests are handed to a transport directly. httpx's Client around it would keep cookies, follow its environment, and
log every address, candidate ids included.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import httpx

from portal.clock import Clock
from portal.contract.operations import Operation
from portal.errors import KeyRefused, MayHaveArrived, NotSent, NotTheService, Rejected, UpstreamError
from portal.logs import Seen, seen
from portal.logs import request as request_id
from portal.tracing import header as trace
from portal.upstream.deadline import DeadlineTransport, Exchange, exchange
from portal.upstream.outcome import Answer, failure_of, http_date

_PAGE_MOST = 20_000_000
"""Bytes of an answer that is read for its content."""
_RECEIPT_MOST = 1_000_000
"""Bytes of the answer to a POST, whose content means nothing to us."""

_UNWRITABLE = (httpx.LocalProtocolError, httpx.UnsupportedProtocol)
_UNCONNECTED = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


@dataclass(frozen=True, slots=True)
class Sending:
    """What a request carries beside its path. body: JSON."""

    query: Mapping[str, str] | None = None
    body: bytes | None = None
    headers: Mapping[str, str] | None = None


class Wire:
    """Requests to one origin with one set of headers. The one with the key and the one without share nothing."""

    def __init__(
        self,
        *,
        base_url: httpx.URL,
        slug: str,
        headers: Mapping[str, str],
        clock: Clock,
        deadline: float,
        transport: httpx.BaseTransport | None,
    ) -> None:
        self._base_url = base_url
        self._slug = slug
        self._headers = {
            "User-Agent": "careers-portal",
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            **headers,
        }
        self._clock = clock
        self._deadline = deadline
        self._transport = transport or DeadlineTransport()

    def answer(self, operation: Operation, path: str, sending: Sending) -> Answer:
        """The 2xx answer, its body read whole; a leaf of UpstreamError for any other, and for one that is too long."""
        request = self._request(operation, path, sending)
        most = _PAGE_MOST if operation.method == "GET" else _RECEIPT_MOST
        with exchange(self._clock, self._deadline) as current:
            outcome = self._exchanged(request, operation.section, current, most)
        # Raised here, outside of any handler: the transport's own exceptions hold the request, and it the key.
        if isinstance(outcome, UpstreamError):
            raise outcome
        failure = failure_of(outcome, now=self._clock.now())
        if failure is not None:
            if isinstance(failure, KeyRefused):
                seen(Seen.KEY_REFUSED, tenant=self._slug)
            raise failure
        return outcome

    def close(self) -> None:
        """Close its connections."""
        self._transport.close()

    def _request(self, operation: Operation, path: str, sending: Sending) -> httpx.Request:
        wanted = self._base_url.path.rstrip("/").encode() + path.encode()
        url = self._base_url.copy_with(raw_path=wanted)
        if sending.query:
            url = url.copy_merge_params(sending.query)
        if url.raw_path.partition(b"?")[0] != wanted or not _same_origin(url, self._base_url):
            raise Rejected("the address did not survive being written", operation=operation.section)
        asked_by = {request_id.HEADER: request_id.current() or request_id.made(), **trace()}
        headers = {**self._headers, **asked_by, **(sending.headers or {})}
        if sending.body is not None:
            headers["Content-Type"] = "application/json"
        return httpx.Request(operation.method, url, headers=headers, content=sending.body)

    def _exchanged(
        self, request: httpx.Request, operation: str, current: Exchange, most: int
    ) -> Answer | UpstreamError:
        try:
            response = self._transport.handle_request(request)
        except httpx.TransportError as exc:
            return _broken(exc, operation, current)
        try:
            return _read(response, operation, current, most)
        except httpx.RemoteProtocolError:
            return NotTheService(
                "the answer broke off before its end", operation=operation, status=response.status_code
            )
        except httpx.TransportError as exc:
            return _broken(exc, operation, current, response.status_code)
        finally:
            response.close()


def _read(response: httpx.Response, operation: str, current: Exchange, most: int) -> Answer | UpstreamError:
    body = b""
    status = response.status_code
    if response.is_success:
        if response.headers.get("Content-Encoding", "identity").strip().lower() not in {"identity", ""}:
            return NotTheService(
                "the answer is compressed, which was not asked for", operation=operation, status=status
            )
        chunks, size = [], 0
        for chunk in response.iter_raw():
            size += len(chunk)
            if size > most:
                return NotTheService(f"the answer is longer than {most} bytes", operation=operation, status=status)
            if current.left() <= 0:
                return _late(operation, status)
            chunks.append(chunk)
        body = b"".join(chunks)
    return Answer(
        operation=operation,
        status=status,
        content_type=response.headers.get("Content-Type", ""),
        retry_after=response.headers.get("Retry-After"),
        served_at=http_date(response.headers.get("Date")),
        body=body,
    )


def _broken(exc: httpx.TransportError, operation: str, current: Exchange, status: int | None = None) -> UpstreamError:
    what = type(exc).__name__
    if isinstance(exc, _UNWRITABLE):
        return Rejected(f"the request cannot be written ({what})", operation=operation)
    sent = current.wrote if current.wrote is not None else not isinstance(exc, _UNCONNECTED)
    if not sent:
        return NotSent(f"the service cannot be reached ({what})", operation=operation)
    if isinstance(exc, httpx.TimeoutException):
        return _late(operation, status)
    return MayHaveArrived(f"the connection broke ({what})", operation=operation, status=status)


def _late(operation: str, status: int | None) -> MayHaveArrived:
    return MayHaveArrived("the answer did not come in time", operation=operation, status=status)


def _same_origin(one: httpx.URL, other: httpx.URL) -> bool:
    return (one.scheme, one.host, one.port, one.userinfo) == (other.scheme, other.host, other.port, b"")
