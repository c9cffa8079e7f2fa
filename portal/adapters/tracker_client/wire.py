"""One request and its response: which requests carry the API key, size and time limits, and errors.

Requests go to an httpx transport directly. httpx.Client would store cookies, read proxy settings from the environment,
and log every URL, including candidate ids.
"""

import socket
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

import httpx

from portal.adapters.tracker_client.deadline import DeadlineTransport, HttpExchange, exchange
from portal.adapters.tracker_client.errors import (
    AnswerTooLong,
    CertificateExpired,
    CertificateUntrusted,
    CertificateWrongHost,
    ConnectionRefused,
    KeyRefused,
    MayHaveArrived,
    NameUnresolved,
    NotSent,
    NotTheService,
    Rejected,
    TrackerError,
)
from portal.adapters.tracker_client.outcome import ServiceResponse, failure_of, http_date
from portal.contract.operations import Operation
from portal.platform.clock import Clock
from portal.platform.logs import SecurityEvent, log_security_event
from portal.platform.logs import request as request_id
from portal.platform.tracing import header as trace

_DATE_ERRORS = {9, 10}
"""X509_V_ERR_CERT_NOT_YET_VALID, X509_V_ERR_CERT_HAS_EXPIRED of OpenSSL's x509_vfy.h."""
_HOST_ERRORS = {62, 64}
"""X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH."""


def not_sent(error: BaseException, url: httpx.URL, *, operation: str) -> NotSent:
    """Return the NotSent error for a connection that failed before any byte of the request was written."""
    where = f"{url.host}:{port_of(url)}"
    kind, says = NotSent, f"({type(error).__name__})"
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            kind, says = _of_certificate(cause, where)
        elif isinstance(cause, ssl.SSLError):
            says = f"no TLS at {where}: check that it serves https ({type(error).__name__})"
        elif isinstance(cause, socket.gaierror | UnicodeError):
            kind = NameUnresolved
            says = f"the name {url.host} does not resolve: correct [tracker] base_url, or fix the name server"
        elif isinstance(cause, ConnectionRefusedError):
            kind = ConnectionRefused
            says = f"nothing listens at {where}: start the service, or correct [tracker] base_url"
        else:
            continue
        break
    return kind(f"the service cannot be reached: {says}", operation=operation)


def port_of(url: httpx.URL) -> int:
    """Return the TCP port of a URL, explicit or by its scheme."""
    return url.port or (443 if url.scheme == "https" else 80)


def _of_certificate(error: ssl.SSLCertVerificationError, where: str) -> tuple[type[NotSent], str]:
    if error.verify_code in _DATE_ERRORS:
        return CertificateExpired, f"the certificate of {where} has expired, or is not valid yet: renew it"
    if error.verify_code in _HOST_ERRORS:
        return (
            CertificateWrongHost,
            f"the certificate of {where} is for another name: correct [tracker] base_url or the certificate",
        )
    fix = "complete its chain at the service, or name its authority in SSL_CERT_FILE"
    return (
        CertificateUntrusted,
        f"the certificate of {where} is not signed by an authority that this machine trusts: {fix}",
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__ or seen.__context__


_GET_RESPONSE_MOST = 20_000_000
"""Bytes of a response to a GET."""
_POST_RESPONSE_MOST = 1_000_000
"""Bytes of a response to a POST, whose content is not used."""

_INVALID_REQUEST = (httpx.LocalProtocolError, httpx.UnsupportedProtocol)
_BROKEN = (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError)
_NOT_CONNECTED = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


@dataclass(frozen=True, slots=True)
class OutgoingRequest:
    """The parts of a request other than its path. body: JSON."""

    query: Mapping[str, str] | None = None
    body: bytes | None = None
    headers: Mapping[str, str] | None = None


class Wire:
    """Requests to one origin with one set of headers. Those with and without the API key share no connections."""

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

    def answer(self, operation: Operation, path: str, sending: OutgoingRequest) -> ServiceResponse:
        """Return a 2xx response with its body; raise a subclass of TrackerError for others and for too long a body."""
        request = self._request(operation, path, sending)
        most = _GET_RESPONSE_MOST if operation.method == "GET" else _POST_RESPONSE_MOST
        with exchange(self._clock, self._deadline) as current:
            outcome = self._exchanged(request, operation.section, current, most)
        # Raised here, outside any handler: the transport's exceptions hold the request, which holds the key.
        if isinstance(outcome, TrackerError):
            raise outcome
        failure = failure_of(outcome, now=self._clock.now())
        if failure is not None:
            if isinstance(failure, KeyRefused):
                log_security_event(SecurityEvent.KEY_REFUSED, tenant=self._slug)
            raise failure
        return outcome

    def certificate_until(self) -> datetime | None:
        """Return when the certificate of the newest TLS connection to this origin expires; None without one."""
        if not isinstance(self._transport, DeadlineTransport):
            return None
        return self._transport.certificates.get((self._base_url.raw_host.decode("ascii"), port_of(self._base_url)))

    def close(self) -> None:
        """Close all connections."""
        self._transport.close()

    def _request(self, operation: Operation, path: str, sending: OutgoingRequest) -> httpx.Request:
        wanted = self._base_url.path.rstrip("/").encode() + path.encode()
        url = self._base_url.copy_with(raw_path=wanted)
        if sending.query:
            url = url.copy_merge_params(sending.query)
        if url.raw_path.partition(b"?")[0] != wanted or not _same_origin(url, self._base_url):
            raise Rejected("the URL would differ from the one that is meant", operation=operation.section)
        asked_by = {request_id.HEADER: request_id.current() or request_id.new_id(), **trace()}
        headers = {**self._headers, **asked_by, **(sending.headers or {})}
        if sending.body is not None:
            headers["Content-Type"] = "application/json"
        return httpx.Request(operation.method, url, headers=headers, content=sending.body)

    def _exchanged(
        self, request: httpx.Request, operation: str, current: HttpExchange, most: int
    ) -> ServiceResponse | TrackerError:
        try:
            response = self._sent(request)
        except httpx.TransportError as exc:
            return _transport_error(exc, operation, current, self._base_url)
        try:
            return _read(response, operation, current, most)
        except httpx.RemoteProtocolError:
            return NotTheService("the response was truncated", operation=operation, status=response.status_code)
        except httpx.TransportError as exc:
            return _transport_error(exc, operation, current, self._base_url, response.status_code)
        finally:
            response.close()

    def _sent(self, request: httpx.Request) -> httpx.Response:
        """Send a request; a GET once more if its connection broke, because a server may close an idle one at any time.

        Nothing else is repeated here: it may have arrived (RFC 9112 §9.3.1).
        """
        try:
            return self._transport.handle_request(request)
        except _BROKEN:
            if request.method != "GET":
                raise
            return self._transport.handle_request(request)


def _read(response: httpx.Response, operation: str, current: HttpExchange, most: int) -> ServiceResponse | TrackerError:
    body = b""
    status = response.status_code
    if response.is_success:
        if response.headers.get("Content-Encoding", "identity").strip().lower() not in {"identity", ""}:
            return NotTheService(
                "the response is compressed, which was not requested", operation=operation, status=status
            )
        chunks, size = [], 0
        for chunk in response.iter_raw():
            size += len(chunk)
            if size > most:
                return AnswerTooLong(f"the answer is longer than {most} bytes", operation=operation, status=status)
            if current.left() <= 0:
                return _timed_out(operation, status)
            chunks.append(chunk)
        body = b"".join(chunks)
    return ServiceResponse(
        operation=operation,
        status=status,
        content_type=response.headers.get("Content-Type", ""),
        retry_after=response.headers.get("Retry-After"),
        served_at=http_date(response.headers.get("Date")),
        body=body,
    )


def _transport_error(
    exc: httpx.TransportError, operation: str, current: HttpExchange, url: httpx.URL, status: int | None = None
) -> TrackerError:
    what = type(exc).__name__
    if isinstance(exc, _INVALID_REQUEST):
        return Rejected(f"the request cannot be written ({what})", operation=operation)
    sent = current.wrote if current.wrote is not None else not isinstance(exc, _NOT_CONNECTED)
    if not sent:
        return not_sent(exc, url, operation=operation)
    if isinstance(exc, httpx.TimeoutException):
        return _timed_out(operation, status)
    return MayHaveArrived(f"the connection broke ({what})", operation=operation, status=status)


def _timed_out(operation: str, status: int | None) -> MayHaveArrived:
    return MayHaveArrived("the answer did not come in time", operation=operation, status=status)


def _same_origin(one: httpx.URL, other: httpx.URL) -> bool:
    return (one.scheme, one.host, one.port, one.userinfo) == (other.scheme, other.host, other.port, b"")
