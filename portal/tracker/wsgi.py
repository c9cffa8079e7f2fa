"""Entry points that each worker process of a server calls once."""

import threading

from flask import Flask

from portal.gateway import serving
from portal.gateway.parent_watch import end_with_parent
from portal.gateway.serving import RsgiApplication
from portal.platform.clock import SystemClock
from portal.platform.config.settings import STOP_TIMEOUT, LogSettings, TrackerSettings
from portal.platform.logs.setup import configure_logging
from portal.platform.metrics.definitions import TRACKER
from portal.platform.metrics.serving import start_updating_gauges
from portal.platform.tracing import begin as begin_tracing
from portal.tracker.app import MEASURED, create_tracker
from portal.tracker.hiring.app import open_hiring
from portal.tracker.tables import open_database

_TIMEOUT = 10.0
"""Seconds that a statement may take on PostgreSQL; a request waits as long for a slot."""


def production_app() -> RsgiApplication:
    """Return the service wrapped for the production server."""
    configure_logging(LogSettings.from_env().form)
    end_with_parent(STOP_TIMEOUT)
    settings = TrackerSettings.from_env()
    begin_tracing("portal-tracker", continue_incoming_traces=True)  # the callers are portals
    app = _with_hiring_pages(settings)
    start_updating_gauges(TRACKER, *app.extensions[MEASURED])
    # Callers are programs, often many behind one address, so there is no concurrency limit per network.
    return serving.rsgi_application(app, threads=settings.threads, bodies_per_network=None)


def application() -> Flask:
    """Return the service as a plain WSGI application, for any other server."""
    return _with_hiring_pages(TrackerSettings.from_env())


def _with_hiring_pages(settings: TrackerSettings) -> Flask:
    """Return the service with its hiring pages, if they are set up; their emails are sent from now on."""
    clock, database = SystemClock(), open_database(settings.database_url, timeout=_TIMEOUT)
    pages, mails = open_hiring(settings, database, clock)
    if mails:
        mails.start(threading.Event())
    return create_tracker(settings, clock=clock, database=database, hiring=pages)
