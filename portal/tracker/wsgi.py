"""What each worker of the production server calls once."""

from flask import Flask

from portal.clock import SystemClock
from portal.settings import TrackerSettings
from portal.tracker.app import create_tracker


def application() -> Flask:
    """The service as the environment sets it."""
    return create_tracker(TrackerSettings.from_env(), clock=SystemClock())
