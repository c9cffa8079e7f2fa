"""Access to the console, and the name of the operator.

Without PORTAL_CONSOLE_USER_HEADER, anybody on this machine has access; with it, the user whom the proxy names. The
proxy must connect from loopback or from PORTAL_CONSOLE_PROXIES and send PORTAL_CONSOLE_PROXY_SECRET, because any
program there could send the header. The Host header is checked against DNS rebinding: a request from a page whose host
name was made to resolve to this machine carries that host name.
"""

import hmac
import ipaddress
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flask import g, request
from werkzeug.exceptions import BadRequest, Forbidden

from portal.gateway.concurrency import ConcurrencyLimit
from portal.gateway.metrics_access import is_forwarded
from portal.operations.actions.actions import OperatorActions
from portal.operations.actions.audit import ActionChannel, Actor, by_this_account
from portal.operations.health.portal_health import PortalHealth
from portal.platform.clock import Clock
from portal.platform.config.settings import Settings
from portal.platform.crypto.sealing import Seal
from portal.platform.crypto.signing import FormSigner, new_form_id
from portal.platform.database.db import Database
from portal.platform.errors import SettingsError
from portal.platform.logs import SecurityEvent, log_security_event
from portal.tenants.folder import Tenants

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


@dataclass(frozen=True, slots=True)
class ConsoleServices:
    """What the console uses. require_schema: raises SchemaError or DatabaseUnavailable if the database is unusable."""

    database: Database
    tenants: Tenants
    clock: Clock
    seal: Seal
    signer: FormSigner
    concurrency: ConcurrencyLimit
    actions: OperatorActions
    health: PortalHealth
    require_schema: Callable[[], None]
    settings: Settings


class RejectionCause(StrEnum):
    """The reason for rejecting a request."""

    PEER = "peer"
    """The connection does not come from this machine or a known proxy."""
    FORWARDED = "forwarded"
    """The request came through a proxy, and none is configured."""
    HOST = "host"
    """The Host header is not one of the console's."""
    SECRET = "secret"  # noqa: S105  the name of a reason
    """The request lacks the proxy's secret."""
    NAME = "name"
    """The proxy does not name the user."""


_LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
_NAME_LIMIT = 100
SECRET_HEADER = "X-Console-Secret"  # noqa: S105  a header's name
"""The header in which the proxy sends PORTAL_CONSOLE_PROXY_SECRET."""


def require_secret(settings: Settings) -> None:
    """Raise SettingsError if names from a proxy would be trusted without a secret that proves it is the proxy."""
    if settings.console_user_header is not None and settings.console_proxy_secret is None:
        raise SettingsError(
            "PORTAL_CONSOLE_PROXY_SECRET: required with PORTAL_CONSOLE_USER_HEADER, or any program that reaches the "
            "console could name an operator; make one with `openssl rand -hex 32`, set it here, and have the proxy "
            f"send it as {SECRET_HEADER}"
        )


def who_asks(environ: "WSGIEnvironment", settings: Settings) -> Actor:
    """Return the operator who sent the request. Raises Forbidden, whose description says what to do."""
    header = settings.console_user_header
    if not _is_near(environ.get("REMOTE_ADDR", ""), settings if header else None):
        raise _refused(
            RejectionCause.PEER, "This console responds only to its own machine and the proxy in front of it."
        )
    if header is None and is_forwarded(environ):
        raise _refused(
            RejectionCause.FORWARDED,
            "This request came through a proxy. Behind a proxy, set PORTAL_CONSOLE_USER_HEADER.",
        )
    if not _is_our_host(environ, settings):
        where = "http://127.0.0.1 with its port, or the address in PORTAL_CONSOLE_ORIGIN"
        raise _refused(RejectionCause.HOST, f"The console is not at this address. It is at {where}.")
    if header is None:
        return by_this_account(ActionChannel.DESK)
    if not _knows_secret(environ, settings):
        raise _refused(RejectionCause.SECRET, f"The proxy has to send PORTAL_CONSOLE_PROXY_SECRET as {SECRET_HEADER}.")
    name = environ.get(f"HTTP_{header.upper().replace('-', '_')}", "").strip()
    # WSGI joins repeated headers with a comma, and one of them could be the client's own.
    if not 0 < len(name) <= _NAME_LIMIT or not name.isprintable() or "," in name:
        raise _refused(
            RejectionCause.NAME,
            f"The proxy must say who you are: one {header} header, up to 100 ASCII characters, no comma.",
        )
    return Actor(name, ActionChannel.DESK)


def own_origins(environ: "WSGIEnvironment", settings: Settings) -> set[str]:
    """Return the console's own origins, by the Host header, which who_asks has checked."""
    host = environ.get("HTTP_HOST", "").lower()
    return {f"http://{host}", *([settings.console_origin] if settings.console_origin else [])}


def _refused(reason: RejectionCause, says: str) -> Forbidden:
    log_security_event(SecurityEvent.CONSOLE_REFUSED, reason=reason)
    return Forbidden(says)


def _knows_secret(environ: "WSGIEnvironment", settings: Settings) -> bool:
    """Compare the secret in constant time."""
    sent = environ.get(f"HTTP_{SECRET_HEADER.upper().replace('-', '_')}", "").encode("latin-1", "replace")
    secret = settings.console_proxy_secret
    return secret is not None and hmac.compare_digest(sent, secret.encode())


def _is_near(address: str, settings: Settings | None) -> bool:
    """Return whether the connection itself comes from this machine or from a configured proxy."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    found = getattr(found, "ipv4_mapped", None) or found
    return found.is_loopback or any(found in network for network in (settings.console_proxies if settings else ()))


def _is_our_host(environ: "WSGIEnvironment", settings: Settings) -> bool:
    host = environ.get("HTTP_HOST", "").lower()
    if host in {f"{name}:{environ.get('SERVER_PORT', '')}" for name in _LOOPBACK}:
        return True
    if settings.console_user_header is None:
        return False
    if settings.console_origin and host == urlsplit(settings.console_origin).netloc.lower():
        return True
    return _is_number(host)


def _is_number(host: str) -> bool:
    """Return whether the host is an IP address, which DNS rebinding cannot change, and which proxies may send."""
    try:
        ipaddress.ip_address(urlsplit(f"//{host}").hostname or "")
    except ValueError:
        return False
    return True


_NO_TENANT = ""
"""No tenant has this slug, so no token of the console is valid in a form of the site, nor the other way round."""


def operator() -> Actor:
    """Return the operator who sent this request."""
    found: Actor = g.operator
    return found


def _purpose(act: str, subject: str) -> tuple[str, str]:
    return "desk", f"{act} {subject} {operator().name}"


def token(services: ConsoleServices, act: str, subject: str) -> str:
    """Return the token for a form's hidden field."""
    purpose = _purpose(act, subject)
    return services.signer.sign(tenant=_NO_TENANT, purpose=purpose, form_id=new_form_id(), now=services.clock.now())


def require(services: ConsoleServices, act: str, subject: str) -> None:
    """Raise BadRequest unless the form holds a valid token."""
    sent, purpose = request.form.get("token", ""), _purpose(act, subject)
    found = services.signer.read(sent, tenant=_NO_TENANT, purpose=purpose, now=services.clock.now())
    if found is None or found.expired:
        raise BadRequest(
            "This form has expired or is not from this console. Nothing was changed: open the page again and retry."
        )
