"""The portal and its console as WSGI applications: gives each feature those of the services that it uses."""

import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from flask import Blueprint, Flask

from portal.adapters.inspection.scanner import open_scanner
from portal.delivery.envelopes.person import record_secret_key_in_use
from portal.gateway import serving
from portal.gateway.parent_watch import end_with_parent
from portal.gateway.serving import RsgiApplication
from portal.jobs.places import place_lookup
from portal.jobs.search import occupations
from portal.operations.actions.actions import OperatorActions
from portal.operations.console.app import assemble_console
from portal.operations.console.identity import ConsoleServices
from portal.operations.console.preflight_run import Ask, by_command
from portal.operations.health import metrics, portal_health
from portal.operations.health.database_metrics import DatabaseMetrics
from portal.operations.health.part import BackgroundProbe, PartName
from portal.operations.health.portal_health import REMOTE_RESULT_SECONDS, PortalHealth
from portal.platform.clock import SystemClock
from portal.platform.config.settings import LogSettings, Settings
from portal.platform.errors import DatabaseUnavailable, SchemaError
from portal.platform.logs import Part
from portal.platform.logs.setup import begin
from portal.platform.metrics import listeners
from portal.platform.metrics.figures import PORTAL
from portal.platform.metrics.serving import keep_measuring
from portal.platform.tracing import begin as begin_tracing
from portal.services import WEB_DB_TIMEOUT, Services
from portal.site import account, alerts, apply, assemble, browse, embed, feeds
from portal.site.account.guard import AccountServices
from portal.site.design.assets import STATIC, TEMPLATES, TRANSLATIONS
from portal.site.feeds import discovery
from portal.site.forms.services import FormServices, UploadServices
from portal.site.gateway import put_before
from portal.site.routing import hosts

ExtraBlueprint = Callable[[Services], Blueprint]
"""Builds an additional blueprint, beside those of the product."""


def create_app(
    services: Services,
    *,
    names_companies: bool = False,
    more: Iterable[ExtraBlueprint] = (),
    translations: Path = TRANSLATIONS,
) -> Flask:
    """Return the application with every page; the schema is not checked. names_companies: list all tenants at `/`."""
    app = Flask("portal", template_folder=str(TEMPLATES), static_folder=str(STATIC))
    app.config["BABEL_TRANSLATION_DIRECTORIES"] = str(translations)
    database, tenants, clock, settings = services.database, services.tenants, services.clock, services.settings
    seal, signer, throttle, concurrency = services.seal, services.signer, services.throttle, services.concurrency
    base_url, max_cv_bytes = settings.base_url, settings.max_cv_bytes
    # Values of FormServices and UploadServices, in the order of their fields.
    of_forms = (database, tenants, seal, signer, clock, throttle, base_url)
    of_uploads = (
        *of_forms,
        services.store,
        concurrency,
        services.places_short_of_space,
        max_cv_bytes,
        services.scanner_enabled,
        settings.forget_after,
    )
    of_account = AccountServices(
        *of_uploads, services.client_for_page, code_ttl=settings.code_ttl, session_ttl=settings.session_ttl
    )
    blueprints = [
        browse.blueprint(database, tenants, clock, throttle, base_url=base_url, names_companies=names_companies),
        apply.blueprint(UploadServices(*of_uploads), upload_ttl=settings.upload_ttl),
        account.blueprint(of_account),
        alerts.blueprint(FormServices(*of_forms)),
        embed.blueprint(database, tenants, clock, base_url=base_url, max_cv_bytes=max_cv_bytes),
        feeds.blueprint(database, tenants, clock, concurrency, base_url=base_url, space=services.disks.space),
        discovery.blueprint(database, tenants, clock, base_url=base_url),
    ]
    health = health_of(services)
    stored = DatabaseMetrics(database, tenants, clock, code_ttl=settings.code_ttl, forget_after=settings.forget_after)
    figures = metrics.PortalFigures(database, concurrency, tenants, services.disks, health, stored)
    blueprints += [portal_health.blueprint(health, database, tenants, services.disks, clock, settings)]
    blueprints += [metrics.blueprint(figures, settings), *(one(services) for one in more)]
    contact, policy = settings.security_contact, settings.security_policy
    blueprints += [hosts.security_txt_blueprint(clock, base_url=base_url, contact=contact, policy=policy)]
    listeners.listen()
    origin, ready = services.store.origin, services.require_schema
    assemble(app, blueprints, database, tenants, seal, clock, base_url, store=origin, require_schema=ready)
    put_before(app, tenants, clock, concurrency, settings)
    return app


def health_of(services: Services) -> PortalHealth:
    """Return the health of every part that the settings name."""
    clock, settings, disks = services.clock, services.settings, services.disks
    rows = partial(
        portal_health.probe_database, services.database, disks, services.tenants, clock, code_ttl=settings.code_ttl
    )
    probes = [
        BackgroundProbe(PartName.DATABASE, rows, clock),
        BackgroundProbe(PartName.TENANTS, partial(portal_health.probe_tenants, services.tenants), clock),
        BackgroundProbe(
            PartName.STORE, partial(portal_health.probe_store, services.store), clock, every=REMOTE_RESULT_SECONDS
        ),
        BackgroundProbe(PartName.DISKS, partial(portal_health.probe_disks, services.places_short_of_space), clock),
        BackgroundProbe(PartName.INSPECTION, portal_health.probe_helper, clock),
    ]
    if settings.rate_limits != "memory:":
        limits = partial(portal_health.probe_limits, services.throttle)
        probes.append(BackgroundProbe(PartName.LIMITS, limits, clock, every=REMOTE_RESULT_SECONDS))
    if scanner := open_scanner(settings.scanner):
        scanner_probe = partial(portal_health.probe_scanner, scanner, services.outages.of(Part.SCANNER))
        probes.append(BackgroundProbe(PartName.SCANNER, scanner_probe, clock, every=REMOTE_RESULT_SECONDS))
    return PortalHealth(clock, probes, services.database)


def served(*, names_companies: bool = False, more: Iterable[ExtraBlueprint] = ()) -> RsgiApplication:
    """Return what the production server runs in each process. Raises SettingsError, SchemaError."""
    begin(LogSettings.from_env().form)
    settings = Settings.from_env()
    end_with_parent(settings.stop_timeout)
    begin_tracing("portal-serve", takes_up=settings.trusted_proxies > 0)
    services = Services.open_tolerating_outage(settings, clock=SystemClock(), timeout=WEB_DB_TIMEOUT)
    app = create_app(services, names_companies=names_companies, more=more)
    with suppress(DatabaseUnavailable, SchemaError):
        record_secret_key_in_use(services.database, services.seal, services.clock.now())
    services.outages.keep_catching_up(
        {
            Part.DATABASE: services.database.require_writable,
            Part.STORE: services.store.reach,
            Part.RATE_LIMITS: services.throttle.check,
        }
    )
    keep_measuring(PORTAL, services.database, services.concurrency)
    # Load the gazetteer and occupations while the server is already serving, so that no visitor has to wait for them.
    threading.Thread(target=_preload, daemon=True, name="preload").start()
    return serving.served(
        app,
        threads=settings.threads,
        of_network=settings.bodies_per_network,
        connections=None if settings.is_behind_proxy else settings.connections_per_network,
        health=settings.health_listen,
    )


def _preload() -> None:
    place_lookup.preload()
    occupations.preload()


def from_env(environ: Mapping[str, str] | None = None) -> Flask:
    """Return the application for a plain WSGI server, and set up logging. Raises SettingsError, SchemaError."""
    if environ is None:
        begin(LogSettings.from_env().form)
    return create_app(
        Services.open_tolerating_outage(Settings.from_env(environ), clock=SystemClock(), timeout=WEB_DB_TIMEOUT)
    )


def create_console(services: Services, *, ask: Ask = by_command) -> Flask:
    """Return the operator console. ask: runs `portal check` for one tenant. Raises SettingsError."""
    database, seal, clock, settings = services.database, services.seal, services.clock, services.settings
    acts = OperatorActions(
        database, services.store, seal, clock, scanner_enabled=services.scanner_enabled, upload_ttl=settings.upload_ttl
    )
    health, ready = health_of(services), services.require_schema
    used = ConsoleServices(
        database, services.tenants, clock, seal, services.signer, services.concurrency, acts, health, ready, settings
    )
    return assemble_console(used, ask=ask)


_CONSOLE_THREADS = 4
"""Few operators use the console at a time."""


def served_console() -> RsgiApplication:
    """Return the console wrapped for the production server. Raises SettingsError, SchemaError."""
    begin(LogSettings.from_env().form)
    settings = Settings.from_env()
    end_with_parent(settings.stop_timeout)
    begin_tracing("portal-console")
    services = Services.open_tolerating_outage(settings, clock=SystemClock(), timeout=WEB_DB_TIMEOUT)
    return serving.served(create_console(services), threads=_CONSOLE_THREADS, of_network=None)
