"""The console as a Flask application of its own: the portal's port serves none of its pages."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from flask import Blueprint, Flask, Response, g, make_response, render_template, request
from werkzeug.exceptions import HTTPException, NotFound

from portal.gateway import Gateway
from portal.gateway.response import GatewayResponse
from portal.operations.console import messages, submissions
from portal.operations.console.identity import ConsoleServices, own_origins, require_secret, who_asks
from portal.operations.console.pages import manual_pages, record_pages, tenant_pages
from portal.operations.console.preflight_run import CheckRunner, Checks, run_check_command, section_of
from portal.operations.console.status import Level, TenantStatus, Trouble, companies, without_database
from portal.operations.health.part import PartHealth, PartName, PartState
from portal.platform.errors import DatabaseUnavailable, PortalError, SchemaOutdated, error_location
from portal.site import headers, request_log
from portal.site.assembly import begin
from portal.site.design.assets import STATIC, TEMPLATES
from portal.site.forms.request_body import TEXT_LIMIT
from portal.site.gateway import max_body_bytes
from portal.site.routing import origin
from portal.site.routing.access import operations, private


def blueprint(services: ConsoleServices) -> Blueprint:
    """Return the blueprint of the start page and the health check."""
    pages = Blueprint("start", __name__)
    tenants = services.tenants

    @pages.get("/")
    @private
    def start() -> str:
        known = services.health.of_each()
        database_down = any(one.name is PartName.DATABASE and one.state is PartState.DOWN for one in known)
        try:  # skip queries if the probe found the database down, because the page would wait for a second timeout
            found = (
                without_database(tenants)
                if database_down
                else companies(services.database, tenants, services.clock.now())
            )
        except (DatabaseUnavailable, SchemaOutdated):
            found, database_down = without_database(tenants), True
        shared = [one for one in known if one.name in _NAMES]
        causes = [*_of_parts(shared, found), *_of_tenants(found, {one.name for one in shared if one.means})]
        return render_template(
            "console/start.html",
            companies=found,
            parts=[(_NAMES[one.name], _LEVELS[one.state], one.says) for one in shared],
            database_down=database_down,
            cards=sorted(causes, key=lambda one: (-one.level, one.since or services.clock.now())),
            worst=max([Level.WELL, *(one.level for one in causes)]),
        )

    @pages.get("/healthz")
    @operations
    def healthz() -> Response:
        return Response("ok\n", mimetype="text/plain")

    return pages


@dataclass(frozen=True, slots=True)
class CauseCard:
    """One cause of problems, for any number of tenants. troubles: the problems after the first, by tenant."""

    level: Level
    says: str
    remedy: str
    since: datetime | None
    runbook: str
    main: Trouble | None = None
    troubles: tuple[tuple[TenantStatus, Trouble], ...] = ()


def _of_parts(shared: list[PartHealth], found: list[TenantStatus]) -> Iterator[CauseCard]:
    for part in shared:
        if part.state is not PartState.OK:
            theirs = tuple((one, trouble) for one in found for trouble in one.troubles if trouble.cause == part.name)
            says, remedy = f"{_NAMES[part.name]}: {part.says}", f"{_REMEDIES[part.name]} Until then {part.means}."
            yield CauseCard(_LEVELS[part.state], says, remedy, part.since, part.runbook, None, theirs)


def _of_tenants(found: list[TenantStatus], has_card: set[PartName]) -> Iterator[CauseCard]:
    """Yield causes that are not a failing part: problems of one tenant, and causes that several deliveries share."""
    causes: dict[str, list[tuple[TenantStatus, Trouble]]] = {}
    for one in found:
        for trouble in one.troubles:
            if trouble.cause not in has_card:
                causes.setdefault(trouble.cause or f"{one.slug} {trouble.says}", []).append((one, trouble))
    for all_ in causes.values():
        (tenant, main), *further = all_
        several = len({one.slug for one, _ in all_}) > 1
        yield CauseCard(
            max(trouble.level for _, trouble in all_),
            main.says if several else f"{tenant.name}: {main.says}",
            main.remedy,
            min(filter(None, (trouble.since for _, trouble in all_)), default=None),
            main.runbook,
            None if several else main,
            tuple(all_ if several else further),
        )


_NAMES = {
    PartName.DATABASE: "Database",
    PartName.STORE: "File storage",
    PartName.DISKS: "Disk space",
    PartName.INSPECTION: "CV inspection",
    PartName.SCANNER: "Malware scanner",
    PartName.MAIL: "Email",
    PartName.WORKERS: "Workers",
    PartName.LIMITS: "Shared rate limits",
}
"""Parts that all tenants share. Tenants' own parts are reported per tenant."""
_REMEDIES = {
    PartName.DATABASE: "Start or repair the database; everything then continues automatically.",
    PartName.STORE: "Repair the bucket, the credentials or its folder (PORTAL_ATTACHMENTS); tried again soon.",
    PartName.DISKS: "Free up disk space there; files are accepted again within seconds.",
    PartName.INSPECTION: "Raise the limits of memory and processes of the unit or container.",
    PartName.SCANNER: "Start clamd; whatever waits is then scanned automatically.",
    PartName.MAIL: "Repair the mail server; what waits is then sent automatically.",
    PartName.WORKERS: "Start “portal worker”; what waits is then sent automatically.",
    PartName.LIMITS: "Start the Redis of PORTAL_RATE_LIMITS; processes count together again within seconds.",
}
_LEVELS = {PartState.OK: Level.WELL, PartState.DEGRADED: Level.ATTENTION, PartState.DOWN: Level.WRONG}

log = logging.getLogger(__name__)

_LONGEST_PATH = 500
"""Characters of the request's URL that a page may contain: an error page stays small for any request."""
_WITHOUT_DATABASE = {None, "start.start", "static", "manual.contents", "manual.page"}
_TITLES = {400: "That did not work", 403: "You cannot use this console", 404: "Page not found"}


def assemble_console(services: ConsoleServices, *, run_check: CheckRunner = run_check_command) -> Flask:
    """Return the console as an application. run_check: runs `portal check` for one tenant. Raises SettingsError."""
    require_secret(services.settings)
    app = Flask("portal.operations.console", template_folder=str(TEMPLATES), static_folder=str(STATIC))
    app.config["MAX_CONTENT_LENGTH"] = TEXT_LIMIT
    begin(app)
    _templates(app, services)
    request_log.install(app, services.seal)
    headers.install(app, base_url=services.settings.console_origin or "http://127.0.0.1")
    _refusals(app, services)
    origin.install(app, own=lambda: own_origins(request.environ, services.settings))
    for one in (
        blueprint(services),
        tenant_pages(services, Checks(run_check, services.clock)),
        submissions.blueprint(services),
        record_pages(services),
        manual_pages(),
    ):
        app.register_blueprint(one)
    busy = GatewayResponse(
        "503 SERVICE UNAVAILABLE", [("Content-Type", "text/plain; charset=utf-8")], b"busy: try again\n"
    )
    app.wsgi_app = Gateway(  # type: ignore[method-assign]  # Flask's own way of adding middleware
        app.wsgi_app,
        services.clock,
        concurrency=services.concurrency,
        max_body_bytes=lambda method, path: max_body_bytes(app, method, path, with_file=TEXT_LIMIT),
        busy=cache(lambda: busy),
        debug_logged_routes=request_log.DEBUG_LOGGED_ROUTES,
    )
    return app


def _templates(app: Flask, services: ConsoleServices) -> None:
    app.jinja_env.globals.update(
        acts=messages.ACTS,
        at=messages.to_second,
        cause=messages.cause,
        ago=messages.ago,
        lasts=lambda then: messages.for_how_long((services.clock.now() - then).total_seconds()),
        how_long=lambda then: messages.how_long(services.clock.now(), then),
        runbook=lambda section: f"{services.settings.runbooks or '/manual'}/{section}",
        section_of=section_of,
        states=messages.STATES,
    )

    @app.context_processor
    def page() -> dict[str, Any]:
        """now: when the page was rendered. operator: the name under which actions are logged; "" for a stranger.

        here: the URL of this page, with its query.
        """
        by = g.get("operator")
        return {
            "now": services.clock.now(),
            "operator": by.name if by else "",
            "path": request.path[:_LONGEST_PATH],
            "here": request.full_path.rstrip("?")[:_LONGEST_PATH],
        }


def _refusals(app: Flask, services: ConsoleServices) -> None:
    @app.before_request
    def only_operators() -> None:
        if request.endpoint == "start.healthz":
            return  # a health check cannot sign in, and its response reveals nothing
        g.operator = who_asks(request.environ, services.settings)
        if request.endpoint not in _WITHOUT_DATABASE:
            services.require_schema()

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> Response:
        status = error.code or 500
        if 300 <= status < 400:
            return make_response(error.get_response(request.environ))
        says = "" if isinstance(error, NotFound) else error.description or ""
        return _message(status, _TITLES.get(status, "That did not work"), says, error)

    @app.errorhandler(PortalError)
    def failed(error: PortalError) -> Response:
        log.log(logging.WARNING if error.transient else logging.ERROR, "%s: %s", type(error).__name__, error)
        if isinstance(error, DatabaseUnavailable | SchemaOutdated):
            return _message(503, "The database is unavailable", f"{error}. Nothing that was accepted is lost.")
        return _message(500, "That did not work", str(error))

    @app.errorhandler(Exception)
    def broken(error: Exception) -> Response:
        log.error("%s: %s", request.endpoint, error_location(error))  # no traceback: it may contain personal data
        return _message(500, "That did not work", "Internal error in the portal: the log has its location.")


def _message(status: int, title: str, says: str, error: HTTPException | None = None) -> Response:
    response = make_response(render_template("console/message.html", title=title, says=says, status=status), status)
    if methods := getattr(error, "valid_methods", None):
        response.headers["Allow"] = ", ".join(sorted(methods))
    return response
