"""Explains failed connections to a service (name, port or certificate), each with what operators should do."""

import socket
import ssl
from collections.abc import Iterator

import httpx

from portal.platform.errors import (
    CertificateExpired,
    CertificateUntrusted,
    CertificateWrongHost,
    ConnectionRefused,
    NameUnresolved,
    NotSent,
)

_DATES = {9, 10}
"""X509_V_ERR_CERT_NOT_YET_VALID, X509_V_ERR_CERT_HAS_EXPIRED of OpenSSL's x509_vfy.h."""
_HOST = {62, 64}
"""X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH."""


def not_sent(error: BaseException, url: httpx.URL, *, operation: str) -> NotSent:
    """Return the NotSent error for a connection that failed before any byte of the request was written."""
    where = f"{url.host}:{port_of(url)}"
    kind, says = NotSent, f"({type(error).__name__})"
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            kind, says = _of_certificate(cause, where)
        elif isinstance(cause, ssl.SSLError):
            says = f"no TLS at {where}: does it speak https? ({type(error).__name__})"
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
    if error.verify_code in _DATES:
        return CertificateExpired, f"the certificate of {where} has expired, or is not valid yet: renew it"
    if error.verify_code in _HOST:
        return (
            CertificateWrongHost,
            f"the certificate of {where} is for another name: correct [tracker] base_url or the certificate",
        )
    mend = "complete its chain at the service, or name its authority in SSL_CERT_FILE"
    return (
        CertificateUntrusted,
        f"the certificate of {where} is not signed by an authority that this machine trusts: {mend}",
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__ or seen.__context__
