"""What a request asked for, as it may stand in a log: the route, whose it is, and who knocked, as a keyed hash.

A path is written with those of its values that open nothing: a company's slug, a job's id, a file's name. A receipt's
reference, an alert's id and whatever else a route takes stand as their names, and so does every value of an address
at which nothing was found: it may be anything that somebody pasted.
"""

import re
from functools import partial

from flask import Flask, Response, request

from portal.front.visits import PLACE, Place
from portal.logs.security import Seen, knocking, seen
from portal.parts import Parts
from portal.sealing import Seal, in_a_log
from portal.throttling import network_of
from portal.web.tenant import current

_OPENS_NOTHING = frozenset({"slug", "posting_id", "filename", "number", "digest"})
_VALUE = re.compile(r"<(?:[^:<>]+:)?([^<>]+)>")
QUIET = frozenset({"/static/<path:filename>", "/healthz", "/readyz", "/metrics"})
"""Routes that programs ask for all the time: their lines are of debug level."""


def install(app: Flask, parts: Parts) -> None:
    """Tell the front of each request what it asked for, and the security log who is not let in."""

    @app.before_request
    def who_knocks() -> None:
        knocking(partial(_network, parts.seal, request.remote_addr))

    @app.after_request
    def what_was_asked(response: Response) -> Response:
        tenant = current()
        slug = tenant.slug if tenant else None
        if request.url_rule is not None:
            was_found = response.status_code not in {400, 404}
            request.environ[PLACE] = Place(request.url_rule.rule, _path(was_found=was_found), slug)
        if response.status_code == 403:
            seen(Seen.FORBIDDEN, tenant=slug)
        return response

    @app.teardown_request
    def nobody_knocks(_error: BaseException | None) -> None:
        knocking(None)


def _network(seal: Seal, remote_address: str | None) -> str:
    return in_a_log(seal, "network", network_of(remote_address, v4=24, v6=56))


def _path(*, was_found: bool) -> str:
    rule, values = request.url_rule, request.view_args or {}
    shown = _OPENS_NOTHING if was_found else frozenset()
    return _VALUE.sub(lambda one: str(values.get(one[1], "")) if one[1] in shown else one[0], rule.rule if rule else "")
