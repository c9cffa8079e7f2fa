"""Routes × tables → cases, complete except for values that exist only at run time: ids and hidden fields."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from tests.hostile import bodies, values
from tests.hostile.bodies import CV, DOCUMENTS, FILES, FORMS, MEMBERS, URL_ENCODED, Fields
from tests.hostile.routes import (
    BODIES,
    FILLED,
    HIRING,
    LENIENT,
    OPEN,
    PARAMETERS,
    PORTAL,
    TEXTS_OF,
    TOKEN,
    WITH_QUERY,
    Body,
    Document,
    Form,
    Route,
)
from tests.hostile.values import (
    COOKIES,
    HEADERS,
    METHODS,
    PATHS,
    QUERIES,
    TEXTS,
    Statuses,
    one_of,
)

NOBODY, SOMEBODY = "nobody", "somebody"
"""Who asks: a stranger, or whom the route is for (a candidate, a colleague, an operator, a program with a key)."""
DAILY = 8
"""Of so many values of a table each route meets one in `make test`; neighbouring routes meet different ones."""


@dataclass(frozen=True, slots=True)
class Case:
    """One bad request. path: with {name} in place of valid values. body: valid fields of the form → bytes."""

    route: Route
    place: str
    name: str
    who: str
    expected: Statuses
    path: str
    method: str
    query: str
    headers: tuple[tuple[str, str], ...]
    body: Callable[[Fields], bytes] | None
    turn: int = 0
    """Its place in the table, shifted with each route."""

    @property
    def key(self) -> tuple[str, str, str, str]:
        return str(self.route), self.place, self.name, self.who

    @property
    def passes_access_check(self) -> bool:
        """Whether the request passes the access check of its route; one with a bad cookie does not."""
        return self.who == users_of(self.route) or self.place == "cookie"

    @property
    def is_daily(self) -> bool:
        """Whether `make test` sends it."""
        return self.turn % DAILY == 0 and self.passes_access_check

    @property
    def is_thorough(self) -> bool:
        """Whether `make verify` sends it: all that pass access checks except half of the headers, and some others."""
        is_half = self.place != "header" or self.turn % 2 == 0
        return self.turn % DAILY == 1 or (is_half and self.passes_access_check)

    @property
    def is_stored(self) -> bool:
        """Whether the bad value may reach a database."""
        return self.place in {"path", "query", "parameter", "field", "framing", "json"}

    def __str__(self) -> str:
        return f"{self.route}: {self.place}: {self.name}: by {self.who}"


def users_of(route: Route) -> str:
    is_open = route.app == PORTAL and "/profile" not in route.rule
    return NOBODY if is_open or route.rule in OPEN else SOMEBODY


def body_of(route: Route) -> Body | None:
    """Return the definition of a route's body."""
    return BODIES[route.app].get(route.rule) if route.method == "POST" else None


def path_of(route: Route, **instead: str) -> str:
    """Return the route's path with {name} for each parameter, except for those that are given, which are braced
    if they have braces.
    """
    path = route.rule
    for name in route.parameters:
        begin, end = path.rindex("<", 0, path.index(f"{name}>")), path.index(f"{name}>") + len(name) + 1
        path = path[:begin] + f"\0{name}\0" + path[end:]
    for name in route.parameters:
        path = path.replace(f"\0{name}\0", instead[name].replace("{", "%7B") if name in instead else f"{{{name}}}")
    return path


def cases_of(route: Route, turn: int) -> Iterator[Case]:
    """Yield every case of a route, for each of its users; none if one of its parameters is unknown here.

    turn: the route's number; see DAILY.
    """
    if not set(route.parameters) <= FILLED[route.app]:
        return
    for who in sorted({NOBODY, users_of(route)}):
        for make in (
            _paths,
            _queries,
            _parameters,
            _headers,
            _cookies,
            _methods,
            _documents,
            _texts,
            _framings,
            _files,
        ):
            for number, case in enumerate(make(route, who)):
                yield replace(case, turn=number + turn)


def _case(route: Route, who: str, place: str, name: str, expected: Statuses, **instead: Any) -> Case:
    """Return a valid request with one change; a stranger's may also be rejected."""
    headers, body = _posted(route)
    right = {
        "path": path_of(route),
        "method": route.method,
        "query": _query_of(route),
        "headers": headers,
        "body": body,
    }
    is_stranger = who == NOBODY and users_of(route) == SOMEBODY
    turned_away = one_of(303, 400, 401, 403) if is_stranger else one_of()
    return Case(route, place, name, who, expected=expected | turned_away, **(right | instead))


def _posted(route: Route) -> tuple[tuple[tuple[str, str], ...], Callable[[Fields], bytes] | None]:
    body = body_of(route)
    if isinstance(body, Document):
        return _typed(bodies.JSON), lambda _: json.dumps(body.content).encode()
    if body:
        return _typed(bodies.MULTIPART if body.multipart else URL_ENCODED), _wrapping(body)
    return (), None


def _wrapping(form: Form) -> Callable[[Fields], bytes]:
    if form.has_cv:
        return lambda fields: bodies.whole(fields, bodies.file_part(form.cv, *CV))
    return bodies.whole if form.multipart else bodies.encoded


def right(route: Route) -> Case:
    """Return a valid request by a user of the route."""
    return _case(route, users_of(route), "nothing", "right", one_of(200, 201, 202, 204, 302, 303, 308))


def _typed(content_type: str) -> tuple[tuple[str, str], ...]:
    return (("Content-Type", content_type),) if content_type else ()


def _query_of(route: Route) -> str:
    body = body_of(route)
    return body.query if body else WITH_QUERY.get((route.app, route.rule), "")


def _paths(route: Route, who: str) -> Iterator[Case]:
    for name in route.parameters:
        for bad in PATHS:
            expected = bad.expected | LENIENT.get(route.rule, one_of())
            yield _case(route, who, "path", f"{name}: {bad.name}", expected, path=path_of(route, **{name: bad.value}))


def _queries(route: Route, who: str) -> Iterator[Case]:
    for bad in QUERIES:
        query = "&".join(filter(None, (_query_of(route), bad.value)))
        yield _case(route, who, "query", bad.name, bad.expected, query=query)


def _parameters(route: Route, who: str) -> Iterator[Case]:
    here = PARAMETERS.get((route.app, route.rule), {}) if route.method == "GET" else {}
    for name, expected in here.items():
        for bad in values.PARAMETERS:
            query = f"{name}={bad.value}".replace("{name}", name)
            yield _case(route, who, "parameter", f"{name}: {bad.name}", expected, query=query)


_ANY_HOST = {"/healthz", "/readyz", "/metrics", "/.well-known/portal-host"}


def _headers(route: Route, who: str) -> Iterator[Case]:
    right, _ = _posted(route)
    for bad in HEADERS:
        headers = (*(one for one in right if one[0] != bad.header), (bad.header, bad.value))
        # The portal responds to unknown hosts with an error.
        is_unknown = bad.header == "Host" and bad.name != "host: port"
        is_refused = is_unknown and route.app == PORTAL and route.rule not in _ANY_HOST
        yield _case(route, who, "header", bad.name, one_of(400, 404) if is_refused else bad.expected, headers=headers)


def _cookies(route: Route, who: str) -> Iterator[Case]:
    if who == SOMEBODY and route.app in (PORTAL, HIRING):
        return  # a user with a bad cookie is not signed in
    for bad in COOKIES:
        headers = (*_posted(route)[0], ("Cookie", bad.value))
        yield _case(route, who, "cookie", bad.name, bad.expected, headers=headers)


def _methods(route: Route, who: str) -> Iterator[Case]:
    for bad in METHODS:
        yield _case(route, who, "method", bad.name, bad.expected, method=bad.value, headers=(), body=None)


def _documents(route: Route, who: str) -> Iterator[Case]:
    body = body_of(route)
    if not isinstance(body, Document):
        return
    for one in DOCUMENTS:
        yield _case(
            route,
            who,
            "json",
            one.name,
            one.expected,
            headers=_typed(one.content_type),
            body=lambda _, raw=one.raw: raw,
        )
    for name in body.content:
        for called, raw, expected in MEMBERS:
            whole = bodies.with_member(body.content, name, raw)
            yield _case(route, who, "json", f"{name}: {called}", expected, body=lambda _, whole=whole: whole)


def _texts(route: Route, who: str) -> Iterator[Case]:
    body = body_of(route)
    if not isinstance(body, Form):
        return
    answers, wrap = TEXTS_OF[route.app] | body.answers, _wrapping(body)
    for name in (*body.fields, TOKEN):
        for bad in TEXTS:
            expected = answers[TOKEN if name == TOKEN else bad.kind]
            changed = {name: bad.raw}
            yield _case(
                route,
                who,
                "field",
                f"{name}: {bad.name}",
                expected,
                body=lambda fields, changed=changed: wrap(fields | changed),
            )


def _framings(route: Route, who: str) -> Iterator[Case]:
    for one in FORMS if isinstance(body_of(route), Form) else ():
        yield _case(route, who, "framing", one.name, one.expected, headers=_typed(one.content_type), body=one.make)


def _files(route: Route, who: str) -> Iterator[Case]:
    body = body_of(route)
    for one in FILES if isinstance(body, Form) and body.cv else ():

        def make(fields: Fields, field: str = body.cv, one: bodies.BadFile = one) -> bytes:
            return bodies.whole(fields, bodies.file_part(field, one.filename, one.make()))

        yield _case(route, who, "file", one.name, one.expected, body=make)


def lacking(routes: list[Route]) -> list[str]:
    """Return the missing entries of tests/hostile/routes.py, so that each route is tested with bad input."""
    found = []
    for route in routes:
        if unknown := set(route.parameters) - FILLED[route.app]:
            found.append(f"{route}: FILLED and the premises have no {', '.join(sorted(unknown))}")
        elif route.method != "GET" and route.rule not in BODIES[route.app]:
            found.append(f"{route}: BODIES does not say what is posted to it")
    return found
