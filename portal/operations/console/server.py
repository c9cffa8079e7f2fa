"""Entry point that the process of `portal console` calls once."""

from portal.gateway import serving
from portal.gateway.parent_watch import end_with_parent
from portal.gateway.serving import RsgiApplication
from portal.operations.console.app import create_console
from portal.platform.clock import SystemClock
from portal.platform.config.settings import LogSettings, Settings
from portal.platform.logs.setup import begin
from portal.platform.tracing import begin as begin_tracing
from portal.services import WHILE_SOMEBODY_WAITS, Services

_THREADS = 4
"""Few operators use the console at a time."""


def served() -> RsgiApplication:
    """Return the console wrapped for the production server. Raises SettingsError, SchemaOutdated."""
    begin(LogSettings.from_env().form)
    settings = Settings.from_env()
    end_with_parent(settings.stop_timeout)
    begin_tracing("portal-console")
    services = Services.waiting(settings, clock=SystemClock(), patience=WHILE_SOMEBODY_WAITS)
    return serving.served(create_console(services), threads=_THREADS, of_network=None)
