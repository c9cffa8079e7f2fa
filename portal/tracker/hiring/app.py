"""The hiring pages as a Flask application; start with create_hiring."""

from typing import Any

from flask import Flask, Response, g, make_response, render_template, request
from flask_babel import Babel, get_locale, gettext
from werkzeug.exceptions import HTTPException
from werkzeug.middleware.proxy_fix import ProxyFix

from portal.adapters.mail.transports import open_mailer
from portal.adapters.storage.opening import WatchedStore, open_store
from portal.gateway.concurrency import WAITING, ConcurrencyLimit
from portal.platform import local_time
from portal.platform.clock import Clock
from portal.platform.config.settings import TrackerSettings
from portal.platform.crypto.sealing import Seal
from portal.platform.crypto.signing import FormSigner
from portal.platform.database.db import Database
from portal.platform.database.migrations import FOLDER
from portal.platform.errors import SettingsError
from portal.platform.logs import Part
from portal.platform.logs.outage_log import Outages
from portal.platform.rate_limits import Throttle
from portal.site import errors, headers, request_log
from portal.site.assembly import begin
from portal.site.design.assets import STATIC, TEMPLATES, TRANSLATIONS
from portal.site.forms.request_body import TEXT_LIMIT
from portal.site.routing import origin
from portal.site.words.locale import direction, own_name
from portal.tracker.hiring import (
    application_pages,
    colleague_pages,
    colleagues,
    guard,
    job_pages,
    privacy_pages,
    reply_pages,
    signing_in,
)
from portal.tracker.hiring.guard import HiringServices
from portal.tracker.hiring.mail_worker import HiringMailWorker
from portal.tracker.hiring.mounting import HiringMount
from portal.tracker.hiring.privacy import PortalSide

_PATIENCE = 4.0
"""Seconds that the portal's database may take."""


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
    return HiringMount(create_hiring(services), services.room), HiringMailWorker(services, open_mailer(settings.mail))


def services_of(settings: TrackerSettings, secret_key: str, database: Database, clock: Clock) -> HiringServices:
    """Return what the pages use."""
    keys = (secret_key, settings.secret_key_fallbacks)
    room = ConcurrencyLimit(settings.threads, waiting=WAITING)
    store = open_store(settings.attachments, s3_endpoint=settings.s3_endpoint, waiting=room.slot_released)
    return HiringServices(
        database=database,
        clock=clock,
        seal=Seal(*keys),
        signer=FormSigner(*keys, ttl=guard.FORM_TTL),
        throttle=Throttle(settings.rate_limits, clock),
        room=room,
        base_url=settings.base_url,
        proxies=settings.trusted_proxies,
        store=WatchedStore(store, Outages(clock).of(Part.STORE)),
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
    app.config["MAX_CONTENT_LENGTH"] = TEXT_LIMIT
    begin(app)
    Babel(app, locale_selector=guard.select_language, default_translation_directories=str(TRANSLATIONS))
    _templates(app, services)
    request_log.install(app, services.seal)
    headers.install(app, base_url=services.base_url)
    errors.answer_errors(app, _message)
    origin.install(app, own=lambda: origin.own_origins(base_url=services.base_url, host=request.host))
    app.before_request(guard.refuse_nul)
    for pages in (signing_in, colleague_pages, job_pages, application_pages, reply_pages, privacy_pages):
        app.register_blueprint(pages.blueprint(services))
    count = services.proxies
    app.wsgi_app = ProxyFix(app.wsgi_app, x_for=count, x_proto=count, x_host=count)  # type: ignore[method-assign]  # Flask's own way of adding middleware
    return app


def _templates(app: Flask, services: HiringServices) -> None:
    app.jinja_env.globals["language_name"] = own_name

    @app.context_processor
    def page() -> dict[str, Any]:
        """company: None for an error before it is known. visit: who is signed in, or None. at: path → its address.

        token: for each form of the page. said: what a page that redirected here has done.
        """
        company, visit = g.get("hiring_tenant"), g.get("hiring_visit")
        zone = local_time.zone_of("UTC")
        lang = guard.page_language()
        return {
            "company": company,
            "visit": visit,
            "token": guard.form_token(services, company, visit.session if visit else None) if company else "",
            "said": gettext("Saved.") if request.args.get("said") == "saved" else "",
            "at": lambda path="": f"/{company.slug}/hiring{path}" if company else "/",
            "path": request.path,
            "lang": lang,
            "dir": direction(lang),
            "now": services.clock.now(),
            "moment": lambda instant: local_time.in_words(instant, get_locale(), zone),
        }


def _message(error: HTTPException) -> Response:
    status = error.code or 500
    return make_response(render_template("hiring/message.html", status=errors.page_status(status)), status)
