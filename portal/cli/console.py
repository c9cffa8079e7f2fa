"""`portal console`: the operator console's server."""

import click

from portal.cli import server
from portal.cli.log_fatal import logging_fatal_errors
from portal.platform.clock import SystemClock
from portal.platform.config.settings import Settings
from portal.platform.errors import SettingsError
from portal.platform.logs import Part
from portal.services import Services


@click.command("console")
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=8002, show_default=True, type=click.IntRange(1, 65_535))
@logging_fatal_errors(Part.CONSOLE)
def console(host: str, port: int) -> None:
    """Serve the operator console, on this machine only or behind a proxy that says who is signed in."""
    from portal.gateway.metrics_access import is_loopback
    from portal.operations.console.identity import require_secret

    settings = Settings.from_env()
    require_secret(settings)
    if settings.console_user_header is None and not is_loopback(host):
        raise SettingsError(
            f"--host {host}: the console has no password, so it listens on 127.0.0.1 only; to reach it from "
            "elsewhere, put a proxy with your single sign-on in front of it and set PORTAL_CONSOLE_USER_HEADER"
        )
    Services.open_tolerating_outage(settings, clock=SystemClock(), log_outages=False).close()
    factory, timeout = "portal.app:production_console", settings.stop_timeout
    server.run(factory, host, port, part=Part.CONSOLE, workers=1, stop_timeout=timeout)
