"""Builds the portal and its operator console: Flask applications, and RSGI applications for the production server.

Granian, the production server, calls applications by RSGI, its own interface (see gateway/serving.py). Each feature's
blueprint is passed only the services that it uses.
"""

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
from portal.operations.console.preflight_run import CheckRunner, run_check_command
from portal.operations.health import metrics, portal_health
from portal.operations.health.database_metrics import DatabaseMetrics
from portal.operations.health.part import BackgroundProbe, PartName
from portal.operations.health.portal_health import REMOTE_RESULT_SECONDS, PortalHealth
from portal.platform.clock import SystemClock
from portal.platform.config.settings import LogSettings, Settings
from portal.platform.errors import DatabaseUnavailable, SchemaError
from portal.platform.logs import Part
from portal.platform.logs.setup import configure_logging
from portal.platform.metrics import listeners
from portal.platform.metrics.definitions import PORTAL
from portal.platform.metrics.serving import start_updating_gauges
from portal.platform.tracing import begin as begin_tracing
from portal.services import WEB_DB_TIMEOUT, Services
from portal.site import account, alerts, apply, assemble, browse, embed, feeds
from portal.site.account.guard import AccountServices
from portal.site.design.assets import STATIC, TEMPLATES, TRANSLATIONS
from portal.site.feeds import discovery
from portal.site.forms.services import FormServices, UploadServices
from portal.site.gateway import wrap_in_gateway
from portal.site.routing import hosts

ExtraBlueprint = Callable[[Services], Blueprint]
"""Builds an additional blueprint, beside those of the product."""


def create_app(
    services: Services,
    *,
    list_companies: bool = False,
    extra_blueprints: Iterable[ExtraBlueprint] = (),
    translations: Path = TRANSLATIONS,
) -> Flask:
    """Return the application with every page; the schema is not checked. list_companies: list all tenants at `/`."""
    app = Flask("portal", template_folder=str(TEMPLATES), static_folder=str(STATIC))
    app.config["BABEL_TRANSLATION_DIRECTORIES"] = str(translations)
    database, tenants, clock, settings = services.database, services.tenants, services.clock, services.settings
    seal, signer, throttle, concurrency = services.seal, services.signer, services.throttle, services.concurrency
    base_url, max_cv_bytes, forget_after = settings.base_url, settings.max_cv_bytes, settings.forget_after
    # The fields of FormServices and UploadServices, in their order.
    form_values = (database, tenants, seal, signer, clock, throttle, base_url)
    upload_values = (
        *form_values,
        services.store,
        concurrency,
        services.places_short_of_space,
        max_cv_bytes,
        services.scanner_enabled,
        forget_after,
    )
    account_services = AccountServices(
        *upload_values, services.client_for_page, code_ttl=settings.code_ttl, session_ttl=settings.session_ttl
    )
    blueprints = [
        browse.blueprint(database, tenants, clock, throttle, base_url=base_url, list_companies=list_companies),
        apply.blueprint(UploadServices(*upload_values), upload_ttl=settings.upload_ttl),
        account.blueprint(account_services),
        alerts.blueprint(FormServices(*form_values)),
        embed.blueprint(database, tenants, clock, base_url=base_url, max_cv_bytes=max_cv_bytes),
        feeds.blueprint(database, tenants, clock, concurrency, base_url=base_url, space=services.disks.space),
        discovery.blueprint(database, tenants, clock, base_url=base_url),
    ]
    health = health_of(services)
    database_metrics = DatabaseMetrics(database, tenants, clock, code_ttl=settings.code_ttl, forget_after=forget_after)
    collector = metrics.PortalMetrics(database, concurrency, tenants, services.disks, health, database_metrics)
    blueprints += [portal_health.blueprint(health, database, tenants, services.disks, clock, settings)]
    blueprints += [metrics.blueprint(collector, settings), *(build(services) for build in extra_blueprints)]
    contact, policy = settings.security_contact, settings.security_policy
    blueprints += [hosts.security_txt_blueprint(clock, base_url=base_url, contact=contact, policy=policy)]
    listeners.start_counting_events()
    origin, require_schema = services.store.origin, services.require_schema
    assemble(app, blueprints, database, tenants, seal, clock, base_url, store=origin, require_schema=require_schema)
    wrap_in_gateway(app, tenants, clock, concurrency, settings)
    return app


def health_of(services: Services) -> PortalHealth:
    """Return the health of every part that the settings name."""
    clock, settings, disks = services.clock, services.settings, services.disks
    database_probe = partial(
        portal_health.probe_database, services.database, disks, services.tenants, clock, code_ttl=settings.code_ttl
    )
    probes = [
        BackgroundProbe(PartName.DATABASE, database_probe, clock),
        BackgroundProbe(PartName.TENANTS, partial(portal_health.probe_tenants, services.tenants), clock),
        BackgroundProbe(
            PartName.STORE, partial(portal_health.probe_store, services.store), clock, every=REMOTE_RESULT_SECONDS
        ),
        BackgroundProbe(PartName.DISKS, partial(portal_health.probe_disks, services.places_short_of_space), clock),
        BackgroundProbe(PartName.INSPECTION, portal_health.probe_helper, clock),
    ]
    if settings.rate_limits != "memory:":
        limits_probe = partial(portal_health.probe_limits, services.throttle)
        probes.append(BackgroundProbe(PartName.LIMITS, limits_probe, clock, every=REMOTE_RESULT_SECONDS))
    if scanner := open_scanner(settings.scanner):
        scanner_probe = partial(portal_health.probe_scanner, scanner, services.outages.of(Part.SCANNER))
        probes.append(BackgroundProbe(PartName.SCANNER, scanner_probe, clock, every=REMOTE_RESULT_SECONDS))
    return PortalHealth(clock, probes, services.database)


def production_app(*, list_companies: bool = False, extra_blueprints: Iterable[ExtraBlueprint] = ()) -> RsgiApplication:
    """Return the application that each process of the production server runs. Raises SettingsError, SchemaError."""
    configure_logging(LogSettings.from_env().form)
    settings = Settings.from_env()
    end_with_parent(settings.stop_timeout)
    begin_tracing("portal-serve", continue_incoming_traces=settings.trusted_proxies > 0)
    services = Services.open_tolerating_outage(settings, clock=SystemClock(), timeout=WEB_DB_TIMEOUT)
    app = create_app(services, list_companies=list_companies, extra_blueprints=extra_blueprints)
    with suppress(DatabaseUnavailable, SchemaError):
        record_secret_key_in_use(services.database, services.seal, services.clock.now())
    services.outages.start_outage_checks(
        {
            Part.DATABASE: services.database.require_writable,
            Part.STORE: services.store.reach,
            Part.RATE_LIMITS: services.throttle.check,
        }
    )
    start_updating_gauges(PORTAL, services.database, services.concurrency)
    # Load the gazetteer and occupations while the server is already serving, so that no visitor has to wait for them.
    threading.Thread(target=_preload, daemon=True, name="preload").start()
    return serving.rsgi_application(
        app,
        threads=settings.threads,
        bodies_per_network=settings.bodies_per_network,
        connections_per_network=None if settings.is_behind_proxy else settings.connections_per_network,
        health=settings.health_listen,
    )


def _preload() -> None:
    place_lookup.preload()
    occupations.preload()


def from_env(environ: Mapping[str, str] | None = None) -> Flask:
    """Return the application for a plain WSGI server, and set up logging. Raises SettingsError, SchemaError."""
    if environ is None:
        configure_logging(LogSettings.from_env().form)
    return create_app(
        Services.open_tolerating_outage(Settings.from_env(environ), clock=SystemClock(), timeout=WEB_DB_TIMEOUT)
    )


def create_console(services: Services, *, run_check: CheckRunner = run_check_command) -> Flask:
    """Return the operator console. run_check: runs `portal check` for one tenant. Raises SettingsError."""
    database, seal, clock, settings = services.database, services.seal, services.clock, services.settings
    actions = OperatorActions(
        database, services.store, seal, clock, scanner_enabled=services.scanner_enabled, upload_ttl=settings.upload_ttl
    )
    console_services = ConsoleServices(
        database=database,
        tenants=services.tenants,
        clock=clock,
        seal=seal,
        signer=services.signer,
        concurrency=services.concurrency,
        actions=actions,
        health=health_of(services),
        require_schema=services.require_schema,
        settings=settings,
    )
    return assemble_console(console_services, run_check=run_check)


_CONSOLE_THREADS = 4
"""Few operators use the console at a time."""


def production_console() -> RsgiApplication:
    """Return the console wrapped for the production server. Raises SettingsError, SchemaError."""
    configure_logging(LogSettings.from_env().form)
    settings = Settings.from_env()
    end_with_parent(settings.stop_timeout)
    begin_tracing("portal-console")
    services = Services.open_tolerating_outage(settings, clock=SystemClock(), timeout=WEB_DB_TIMEOUT)
    return serving.rsgi_application(create_console(services), threads=_CONSOLE_THREADS, bodies_per_network=None)
