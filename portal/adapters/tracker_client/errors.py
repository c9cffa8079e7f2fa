"""Why an operation of the recruitment tracking service failed. Transient errors are retried.

TrackerError
├── NotSent                  transient  name, connect or TLS failure: no byte of the request left
│   ├── NameUnresolved       transient  DNS has no address for the host
│   ├── ConnectionRefused    transient  nothing listens on the port
│   ├── CertificateExpired   transient  or not valid yet
│   ├── CertificateWrongHost transient  it is for another name
│   └── CertificateUntrusted transient  its issuer is unknown here
├── MayHaveArrived           transient  disconnected or timed out after a byte was sent; 500, 502, 504
├── Throttled                transient  429, or 503 with Retry-After; carries the pause
├── TemporarilyUnavailable   transient  408, 425, 503
├── NotTheService            permanent  a 2xx that is plainly not the service's (truncated, too large)
│   └── ProxyAnswered        permanent  a 2xx with a web page: something in between responded in its place
├── Redirected               permanent  3xx: never followed
├── KeyRefused               permanent  401, 403
├── RecordNotFound           permanent  404, 410
├── Conflicting              permanent  409
└── Rejected                 permanent  400, 413, 415, 422 and any other 4xx: the request itself is rejected
"""

from portal.platform.errors import PortalError


class TrackerError(PortalError):
    """An operation of the tracking service failed. `operation` is the § of the interface document, like "4.8"."""

    def __init__(self, message: str, *, operation: str, status: int | None = None) -> None:
        super().__init__(message)
        self.operation = operation
        self.status = status


class NotSent(TrackerError):
    """No byte of the request left this machine."""

    transient = True


class NameUnresolved(NotSent):
    """DNS has no address for the host of base_url."""


class ConnectionRefused(NotSent):
    """Nothing listens on host and port of base_url."""


class CertificateExpired(NotSent):
    """The service's certificate has expired, or is not valid yet."""


class CertificateWrongHost(NotSent):
    """The service's certificate is for another name than the host of base_url."""


class CertificateUntrusted(NotSent):
    """The service's certificate is not signed by an issuer that this machine trusts."""


class MayHaveArrived(TrackerError):
    """The service may have acted on the request; its response did not arrive or was 500, 502 or 504."""

    transient = True


class Throttled(TrackerError):
    """Rejected for now, with a pause to observe. `retry_after` is in seconds, 1 to 86,400, already clamped."""

    transient = True

    def __init__(self, message: str, *, operation: str, status: int, retry_after: float) -> None:
        super().__init__(message, operation=operation, status=status)
        self.retry_after = retry_after


class TemporarilyUnavailable(TrackerError):
    """The service is temporarily unable to respond: 408, 425, 503."""

    transient = True


class NotTheService(TrackerError):
    """A 2xx response that the service would not send: HTML, a truncated or oversized body, the wrong shape."""


class AnswerTooLong(NotTheService):
    """A 2xx response with more bytes than are read."""


class ProxyAnswered(NotTheService):
    """A 2xx response that is a web page: a proxy, firewall or maintenance page responded in place of the service.

    nothing_sent: it was the response to a query that precedes the submission, so nothing has been submitted.
    """

    nothing_sent: bool = False


class Redirected(TrackerError):
    """3xx: base_url is wrong. Redirects are never followed."""


class KeyRefused(TrackerError):
    """401 or 403: the API key or the tenant slug is wrong."""


class RecordNotFound(TrackerError):
    """The service has no such resource: 404 or 410."""


class Conflicting(TrackerError):
    """The request conflicts with the service's state: 409."""


class Rejected(TrackerError):
    """The service will not accept this request however often it is sent."""
