"""What a request asked for, as logs may contain it: the route, the tenant, and the client's network as a keyed hash.

A path is logged with those values that give no access to anything: a tenant's slug, a job's id, a file's name. A
receipt's reference, an alert's id and every other value of a route appear as their placeholders. So does every value of
an address that was not found, because it may be any text that was pasted.
"""

import re
from functools import partial

from flask import Flask, Response, request

from portal.gateway.access_log import ENV_ROUTE, RoutePath
from portal.platform.crypto.sealing import Seal, in_a_log
from portal.platform.logs.security import SecurityEvent, attribute_to, log_security_event
from portal.platform.rate_limits import wide_network_of
from portal.site.routing.tenant import current

_OPENS_NOTHING = frozenset({"slug", "posting_id", "filename", "number", "digest"})
_VALUE = re.compile(r"<(?:[^:<>]+:)?([^<>]+)>")
DEBUG_LOGGED_ROUTES = frozenset({"/static/<path:filename>", "/healthz", "/readyz", "/metrics"})
"""Routes that programs request all the time; they are logged at debug level."""


def install(app: Flask, seal: Seal) -> None:
    """Tell the gateway what each request asked for, and the security log which network was denied access."""

    @app.before_request
    def set_log_network() -> None:
        attribute_to(partial(_network, seal, request.remote_addr))

    @app.after_request
    def note_route(response: Response) -> Response:
        tenant = current()
        slug = tenant.slug if tenant else None
        if request.url_rule is not None:
            was_found = response.status_code not in {400, 403, 404}
            request.environ[ENV_ROUTE] = RoutePath(request.url_rule.rule, _path(was_found=was_found), slug)
        if response.status_code == 403:
            log_security_event(SecurityEvent.FORBIDDEN, tenant=slug)
        return response

    @app.teardown_request
    def clear_log_network(_error: BaseException | None) -> None:
        attribute_to(None)


def _network(seal: Seal, remote_address: str | None) -> str:
    return in_a_log(seal, "network", wide_network_of(remote_address))


def _path(*, was_found: bool) -> str:
    rule, values = request.url_rule, request.view_args or {}
    shown = _OPENS_NOTHING if was_found else frozenset()
    return _VALUE.sub(lambda one: str(values.get(one[1], "")) if one[1] in shown else one[0], rule.rule if rule else "")
