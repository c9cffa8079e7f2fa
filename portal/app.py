"""The portal as a WSGI application: slices around the parts."""

import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from flask import Blueprint, Flask

from portal import apply, browse, embed, profile, reach, subscribe
from portal.clock import SystemClock
from portal.counted import heard
from portal.counted.figures import PORTAL
from portal.counted.serving import keep_measuring
from portal.front import serving
from portal.front.serving import Served
from portal.front.tied import end_with_parent
from portal.logs.begin import begin
from portal.parts import WHILE_SOMEBODY_WAITS, Parts
from portal.reach import found
from portal.settings import LogSettings, Settings
from portal.standing.standing import Standing
from portal.tracing import begin as begin_tracing
from portal.vacancies.where import read_ahead
from portal.web import assemble, health, metrics
from portal.web.folders import STATIC, TEMPLATES, TRANSLATIONS

More = Callable[[Parts], Blueprint]
"""A slice beside the product's own."""


def create_app(
    parts: Parts, *, names_companies: bool = False, more: Iterable[More] = (), translations: Path = TRANSLATIONS
) -> Flask:
    """Every page, wired to these parts; the schema is not checked. names_companies: at `/`, every one of them."""
    app = Flask("portal", template_folder=str(TEMPLATES), static_folder=str(STATIC))
    app.config["BABEL_TRANSLATION_DIRECTORIES"] = str(translations)
    slices = [one.blueprint(parts) for one in (apply, profile, subscribe, embed, reach, found)]
    standing = Standing(parts)
    slices += [health.blueprint(parts, standing), metrics.blueprint(parts, standing)]
    slices += [one(parts) for one in more]
    heard.listen()
    assemble(app, parts, [browse.blueprint(parts, names_companies=names_companies), *slices])
    return app


def served(*, names_companies: bool = False, more: Iterable[More] = ()) -> Served:
    """What the production server runs in each process. Raises SettingsError, SchemaError."""
    begin(LogSettings.from_env().form)
    settings = Settings.from_env()
    end_with_parent(settings.stop_timeout)
    begin_tracing("portal-serve", takes_up=settings.trusted_proxies > 0)
    parts = Parts.waiting(settings, clock=SystemClock(), patience=WHILE_SOMEBODY_WAITS)
    app = create_app(parts, names_companies=names_companies, more=more)
    keep_measuring(PORTAL, parts.database, parts.room)
    # A server that answers already reads what no visitor should wait for.
    threading.Thread(target=read_ahead, daemon=True, name="places").start()
    return serving.served(app, threads=settings.threads, of_network=settings.bodies_per_network)


def from_env(environ: Mapping[str, str] | None = None) -> Flask:
    """What a server of WSGI alone imports, the log begun. Raises SettingsError, SchemaError."""
    if environ is None:
        begin(LogSettings.from_env().form)
    return create_app(Parts.waiting(Settings.from_env(environ), clock=SystemClock(), patience=WHILE_SOMEBODY_WAITS))
