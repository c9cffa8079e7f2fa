"""The portal as a WSGI application: builds the features' blueprints from the services."""

import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from flask import Blueprint, Flask

from portal.gateway import serving
from portal.gateway.parent_watch import end_with_parent
from portal.gateway.serving import RsgiApplication
from portal.jobs.places.place_lookup import read_ahead
from portal.operations.health import metrics, portal_health
from portal.operations.health.database_metrics import DatabaseMetrics
from portal.operations.health.portal_health import PortalHealth
from portal.platform.clock import SystemClock
from portal.platform.config.settings import LogSettings, Settings
from portal.platform.logs.setup import begin
from portal.platform.metrics import listeners
from portal.platform.metrics.figures import PORTAL
from portal.platform.metrics.serving import keep_measuring
from portal.platform.tracing import begin as begin_tracing
from portal.services import WHILE_SOMEBODY_WAITS, Services
from portal.site import account, alerts, apply, assemble, browse, embed, feeds
from portal.site.design.assets import STATIC, TEMPLATES, TRANSLATIONS
from portal.site.feeds import discovery

More = Callable[[Services], Blueprint]
"""Builds an additional blueprint, beside those of the product."""


def create_app(
    services: Services, *, names_companies: bool = False, more: Iterable[More] = (), translations: Path = TRANSLATIONS
) -> Flask:
    """Return the application with every page; the schema is not checked. names_companies: list all tenants at `/`."""
    app = Flask("portal", template_folder=str(TEMPLATES), static_folder=str(STATIC))
    app.config["BABEL_TRANSLATION_DIRECTORIES"] = str(translations)
    database, tenants, clock, settings = services.database, services.tenants, services.clock, services.settings
    base_url = settings.base_url
    slices = [
        browse.blueprint(
            database, tenants, clock, services.throttle, base_url=base_url, names_companies=names_companies
        ),
        apply.blueprint(services),
        account.blueprint(services),
        alerts.blueprint(services),
        embed.blueprint(database, tenants, clock, base_url=base_url, max_cv_bytes=settings.max_cv_bytes),
        feeds.blueprint(database, tenants, clock, services.room, base_url=base_url, space=services.disks.space),
        discovery.blueprint(database, tenants, clock, base_url=base_url),
    ]
    standing = PortalHealth(services)
    stored = DatabaseMetrics(database, tenants, clock, code_ttl=settings.code_ttl)
    figures = metrics.PortalFigures(database, services.room, tenants, services.disks, standing, stored)
    slices += [portal_health.blueprint(services, standing), metrics.blueprint(figures, settings)]
    slices += [one(services) for one in more]
    listeners.listen()
    assemble(app, services, slices)
    return app


def served(*, names_companies: bool = False, more: Iterable[More] = ()) -> RsgiApplication:
    """Return what the production server runs in each process. Raises SettingsError, SchemaError."""
    begin(LogSettings.from_env().form)
    settings = Settings.from_env()
    end_with_parent(settings.stop_timeout)
    begin_tracing("portal-serve", takes_up=settings.trusted_proxies > 0)
    services = Services.waiting(settings, clock=SystemClock(), patience=WHILE_SOMEBODY_WAITS)
    app = create_app(services, names_companies=names_companies, more=more)
    services.absences.keep_catching_up()
    keep_measuring(PORTAL, services.database, services.room)
    # Load the gazetteer while the server is already serving, so that no visitor has to wait for it.
    threading.Thread(target=read_ahead, daemon=True, name="places").start()
    return serving.served(
        app,
        threads=settings.threads,
        of_network=settings.bodies_per_network,
        connections=None if settings.is_behind_proxy else settings.connections_per_network,
        health=settings.health_listen,
    )


def from_env(environ: Mapping[str, str] | None = None) -> Flask:
    """Return the application for a plain WSGI server, and set up logging. Raises SettingsError, SchemaError."""
    if environ is None:
        begin(LogSettings.from_env().form)
    return create_app(Services.waiting(Settings.from_env(environ), clock=SystemClock(), patience=WHILE_SOMEBODY_WAITS))
