"""The hiring pages as a Flask application; start with create_hiring."""

import logging
from pathlib import Path
from typing import Any

from flask import Flask, Response, g, make_response, render_template, request
from flask_babel import Babel, get_locale
from jinja2 import StrictUndefined
from werkzeug.exceptions import BadRequest, HTTPException, RequestTimeout, ServiceUnavailable
from werkzeug.middleware.proxy_fix import ProxyFix

from portal.adapters.mail.transports import open_mailer
from portal.adapters.storage.opening import WatchedStore, open_store
from portal.gateway.request_bodies import REFUSED, BodyRejection
from portal.platform import local_time
from portal.platform.clock import Clock
from portal.platform.config.settings import TrackerSettings
from portal.platform.crypto.sealing import Seal
from portal.platform.crypto.signing import FormSigner
from portal.platform.database.db import Database
from portal.platform.database.migrations import FOLDER
from portal.platform.errors import PortalError, SettingsError, error_location
from portal.platform.logs import Part
from portal.platform.logs.outage_log import Outages
from portal.platform.rate_limits import Throttle
from portal.site import headers, request_log
from portal.site.assembly import NoSessions
from portal.site.design.assets import STATIC, TEMPLATES, Assets
from portal.site.forms.request_body import TEXT_LIMIT
from portal.site.routing import origin
from portal.site.words.locale import direction, own_name
from portal.tracker.hiring import (
    application_pages,
    colleague_pages,
    colleagues,
    guard,
    job_pages,
    language,
    privacy_pages,
    reply_pages,
    signing_in,
)
from portal.tracker.hiring.guard import HiringServices
from portal.tracker.hiring.mail_worker import HiringMailWorker
from portal.tracker.hiring.mounting import HiringMount
from portal.tracker.hiring.privacy import PortalSide

log = logging.getLogger(__name__)
_PATIENCE = 4.0
"""Seconds that the portal's database may take."""
_PAGES = {400, 403, 404, 405, 408, 409, 413, 429, 500, 503}


def open_hiring(
    settings: TrackerSettings, database: Database, clock: Clock
) -> tuple[HiringMount, HiringMailWorker] | tuple[None, None]:
    """Return the hiring pages and what sends their emails; None where they are not set up.

    Raises SettingsError if there are colleagues and a setting is missing.
    """
    if settings.secret_key is None or settings.mail is None:
        if colleagues.any_there(database):
            name = "TRACKER_SECRET_KEY" if settings.secret_key is None else "TRACKER_MAIL"
            raise SettingsError(f"{name}: required, because there are colleagues who use the hiring pages")
        return None, None
    services = services_of(settings, settings.secret_key, database, clock)
    return HiringMount(create_hiring(services)), HiringMailWorker(services, open_mailer(settings.mail))


def services_of(settings: TrackerSettings, secret_key: str, database: Database, clock: Clock) -> HiringServices:
    """Return what the pages use."""
    keys = (secret_key, settings.secret_key_fallbacks)
    return HiringServices(
        database=database,
        clock=clock,
        seal=Seal(*keys),
        signer=FormSigner(*keys, ttl=guard.FORM_TTL),
        throttle=Throttle(settings.rate_limits, clock),
        base_url=settings.base_url,
        proxies=settings.trusted_proxies,
        store=WatchedStore(
            open_store(settings.attachments, s3_endpoint=settings.s3_endpoint), Outages(clock).of(Part.STORE)
        ),
        portal=_portal_side(settings, clock),
    )


def _portal_side(settings: TrackerSettings, clock: Clock) -> PortalSide | None:
    """Return the portal's database, if its settings are in this environment."""
    if settings.portal_database is None or settings.portal_secret is None:
        return None
    database = Database(settings.portal_database, migrations=FOLDER, patience=_PATIENCE)
    return PortalSide(database, Seal(settings.portal_secret, settings.portal_secret_fallbacks), clock)


def create_hiring(services: HiringServices) -> Flask:
    """Return the hiring pages as an application, which the service serves beside its own."""
    app = Flask("portal.tracker.hiring", template_folder=str(TEMPLATES), static_folder=str(STATIC))
    app.session_interface = NoSessions()
    app.config["MAX_CONTENT_LENGTH"] = TEXT_LIMIT
    app.url_map.merge_slashes = False
    assets = Assets(Path(STATIC))
    assets.serve(app)
    Babel(app, locale_selector=language.select, default_translation_directories=str(_translations()))
    _templates(app, services, assets)
    request_log.install(app, services.seal)
    headers.install(app, base_url=services.base_url)
    _refusals(app)
    origin.install(app, own=lambda: origin.own_origins(base_url=services.base_url, host=request.host))
    for pages in (signing_in, colleague_pages, job_pages, application_pages, reply_pages, privacy_pages):
        app.register_blueprint(pages.blueprint(services))
    count = services.proxies
    app.wsgi_app = ProxyFix(app.wsgi_app, x_for=count, x_proto=count, x_host=count)  # type: ignore[method-assign]  # Flask's own way of adding middleware
    return app


def _translations() -> Path:
    return Path(__file__).parents[2] / "translations"


def _templates(app: Flask, services: HiringServices, assets: Assets) -> None:
    jinja = app.jinja_env
    jinja.undefined, jinja.trim_blocks, jinja.lstrip_blocks = StrictUndefined, True, True
    jinja.globals.update(asset=assets.address, language_name=own_name)

    @app.context_processor
    def page() -> dict[str, Any]:
        """company: None for an error before it is known. visit: who is signed in, or None. at: path → its address."""
        company, visit = g.get("hiring_tenant"), g.get("hiring_visit")
        zone = local_time.zone_of("UTC")
        lang = language.page_language()
        return {
            "company": company,
            "visit": visit,
            "sign_out_token": lambda: guard.form_token(services, visit.tenant, visit.session),
            "at": lambda path="": f"/{company.slug}/hiring{path}" if company else "/",
            "path": request.path,
            "lang": lang,
            "dir": direction(lang),
            "now": services.clock.now(),
            "moment": lambda instant: local_time.in_words(instant, get_locale(), zone),
        }


def _refusals(app: Flask) -> None:
    @app.before_request
    def not_received() -> None:
        refusal = request.environ.get(REFUSED)
        if refusal is not None:
            kinds = {BodyRejection.TOO_SLOW: RequestTimeout, BodyRejection.CUT_OFF: BadRequest}
            raise kinds.get(refusal, ServiceUnavailable)

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> Response:
        status = error.code or 500
        if 300 <= status < 400:
            return make_response(error.get_response(request.environ))
        response = _message(status)
        if methods := getattr(error, "valid_methods", None):
            response.headers["Allow"] = ", ".join(sorted(methods))
        return response

    @app.errorhandler(PortalError)
    def failed(error: PortalError) -> Response:
        log.log(logging.WARNING if error.transient else logging.ERROR, "%s: %s", type(error).__name__, error)
        return _message(503 if error.transient else 500)

    @app.errorhandler(Exception)
    def broken(error: Exception) -> Response:
        log.error("%s: %s", request.endpoint, error_location(error))  # no traceback: it may contain personal data
        return _message(500)


def _message(status: int) -> Response:
    shown = status if status in _PAGES else (400 if status < 500 else 500)
    response = make_response(render_template("hiring/message.html", status=shown), status)
    if status == 503:
        response.headers["Retry-After"] = "30"
    return response
