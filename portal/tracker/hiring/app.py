"""The hiring pages as a Flask application; start with create_hiring."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

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
from portal.site.gateway import max_body_bytes
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
)
from portal.tracker.hiring.guard import HiringServices
from portal.tracker.hiring.mail_worker import HiringMailWorker
from portal.tracker.hiring.privacy import PortalSide

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_INTERFACE = "applications|candidates|pipeline|vacancies"
_THEIRS = re.compile(rf"/static/(?!(?:vacancy|candidate)-portal/)|/(?!(?:{_INTERFACE})/)[^/]+/hiring(?:/|$)")
_TIMEOUT = 4.0
"""Seconds that the portal's database may take."""


class HiringMount:
    """The hiring pages beside the service. Their paths and the interface's do not overlap. concurrency: slots for
    both."""

    def __init__(self, pages: Flask, concurrency: ConcurrencyLimit) -> None:
        self._pages, self.concurrency = pages, concurrency

    def has(self, path: str) -> bool:
        """Return whether a path is of the hiring pages."""
        return _THEIRS.match(path) is not None

    def beside(self, service: "WSGIApplication") -> "WSGIApplication":
        """Return an application that passes the pages' requests to them, and every other one to the service."""

        def application(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
            chosen = self._pages.wsgi_app if self.has(environ["PATH_INFO"]) else service
            return chosen(environ, start_response)

        return application

    def max_body_bytes(self, method: str, path: str) -> int | None:
        """Return the bytes that a body may have; None for an address that is unknown or takes no body."""
        return max_body_bytes(self._pages, method, path, with_file=TEXT_LIMIT)


def open_hiring(
    settings: TrackerSettings, database: Database, clock: Clock
) -> tuple[HiringMount, HiringMailWorker] | tuple[None, None]:
    """Return the hiring pages and the sender of their emails; None if they are not set up.

    Raises SettingsError if there are colleagues and a setting is missing.
    """
    if settings.secret_key is None or settings.mail is None:
        if colleagues.any_there(database):
            name = "TRACKER_SECRET_KEY" if settings.secret_key is None else "TRACKER_MAIL"
            raise SettingsError(f"{name}: required, because there are colleagues who use the hiring pages")
        return None, None
    services = services_of(settings, settings.secret_key, database, clock)
    mailer = open_mailer(settings.mail, settings.allow_insecure)
    return HiringMount(create_hiring(services), services.concurrency), HiringMailWorker(services, mailer)


def services_of(settings: TrackerSettings, secret_key: str, database: Database, clock: Clock) -> HiringServices:
    """Return the services of the pages."""
    keys = (secret_key, settings.secret_key_fallbacks)
    concurrency = ConcurrencyLimit(settings.threads, waiting=WAITING)
    store = open_store(settings.attachments, s3_endpoint=settings.s3_endpoint, waiting=concurrency.slot_released)
    return HiringServices(
        database=database,
        clock=clock,
        seal=Seal(*keys),
        signer=FormSigner(*keys, ttl=guard.FORM_TTL),
        throttle=Throttle(settings.rate_limits, clock),
        concurrency=concurrency,
        base_url=settings.base_url,
        proxies=settings.trusted_proxies,
        store=WatchedStore(store, Outages(clock).of(Part.STORE)),
        portal=_portal_side(settings, clock),
    )


def _portal_side(settings: TrackerSettings, clock: Clock) -> PortalSide | None:
    """Return the portal's database, if its settings are in this environment."""
    if settings.portal_database is None or settings.portal_secret is None:
        return None
    database = Database(settings.portal_database, migrations=FOLDER, timeout=_TIMEOUT)
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
    for module in (colleague_pages, job_pages, application_pages, reply_pages, privacy_pages):
        module.pages.add_routes(app, services)
    count = services.proxies
    app.wsgi_app = ProxyFix(app.wsgi_app, x_for=count, x_proto=count, x_host=count)  # type: ignore[method-assign]  # Flask's own way of adding middleware
    return app


def _templates(app: Flask, services: HiringServices) -> None:
    app.jinja_env.globals["language_name"] = own_name

    @app.context_processor
    def page() -> dict[str, Any]:
        """company: None for an error before it is known. visit: the signed-in colleague's, or None. at: path → its
        address.

        token: for each form of the page. confirmation: what a page that redirected here has done (guard.done).
        """
        company, visit = g.get("hiring_tenant"), g.get("hiring_visit")
        zone = local_time.zone_of("UTC")
        lang = guard.page_language()
        return {
            "company": company,
            "visit": visit,
            "token": guard.form_token(services, company, visit.session if visit else None) if company else "",
            "confirmation": _done_notices().get(request.args.get("said", ""), ""),
            "at": lambda path="": f"/{company.slug}/hiring{path}" if company else "/",
            "path": request.path,
            "lang": lang,
            "dir": direction(lang),
            "now": services.clock.now(),
            "moment": lambda instant: local_time.in_words(instant, get_locale(), zone),
        }


def _done_notices() -> dict[str, str]:
    return {
        "saved": gettext("Saved."),
        "published": gettext("Published. The job is on the careers page in a few seconds."),
        "invited": gettext("The invitation is on its way."),
        "erased-person": gettext("This person is erased."),
        "sent": gettext("The email is on its way."),
        "rejected": gettext("The email is on its way. Once it is sent, the stage is “Rejected”."),
        "undone": gettext("Undone: none of these emails will be sent."),
        "late": gettext("Too late: these emails are sent already."),
        "erased": gettext(
            "Nothing to undo: these applicants were erased meanwhile, so no more emails are sent to them."
        ),
        "done": gettext("Done. The candidate is notified."),
        "nothing": gettext("Nothing of this person is left here. The candidate is notified."),
    }


def _message(error: HTTPException) -> Response:
    status = error.code or 500
    return make_response(render_template("hiring/message.html", status=errors.page_status(status)), status)
