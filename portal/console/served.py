"""What the process of `portal console` calls once."""

from portal.clock import SystemClock
from portal.console.app import create_console
from portal.front import serving
from portal.front.serving import Served
from portal.front.tied import end_with_parent
from portal.logs.begin import begin
from portal.parts import WHILE_SOMEBODY_WAITS, Parts
from portal.settings import LogSettings, Settings
from portal.tracing import begin as begin_tracing

_THREADS = 4
"""Few people sit at a desk."""


def served() -> Served:
    """The desk on the production server. Raises SettingsError, SchemaOutdated."""
    begin(LogSettings.from_env().form)
    settings = Settings.from_env()
    end_with_parent(settings.stop_timeout)
    begin_tracing("portal-console")
    parts = Parts.waiting(settings, clock=SystemClock(), patience=WHILE_SOMEBODY_WAITS)
    return serving.served(create_console(parts), threads=_THREADS, of_network=None)
