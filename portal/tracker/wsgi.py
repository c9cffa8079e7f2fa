"""What each worker of a server calls once."""

from flask import Flask

from portal.clock import SystemClock
from portal.counted.figures import TRACKER
from portal.counted.serving import keep_measuring
from portal.front import serving
from portal.front.serving import Served
from portal.front.tied import end_with_parent
from portal.logs.begin import begin
from portal.settings import STOP_TIMEOUT, LogSettings, TrackerSettings
from portal.tracing import begin as begin_tracing
from portal.tracker.app import MEASURED, create_tracker


def served() -> Served:
    """The service on the production server."""
    begin(LogSettings.from_env().form)
    end_with_parent(STOP_TIMEOUT)
    settings = TrackerSettings.from_env()
    begin_tracing("portal-tracker", takes_up=True)  # who asks are portals
    app = create_tracker(settings, clock=SystemClock())
    keep_measuring(TRACKER, *app.extensions[MEASURED])
    # What calls it are programs, often one address for many: its network counts for no more than the whole.
    return serving.served(app, threads=settings.threads, of_network=None)


def application() -> Flask:
    """The service on a server of WSGI alone."""
    return create_tracker(TrackerSettings.from_env(), clock=SystemClock())
