"""`portal console`."""

import click

from portal.cli import server
from portal.cli.aloud import failing_aloud
from portal.clock import SystemClock
from portal.errors import SettingsError
from portal.logs import Part
from portal.parts import Parts
from portal.settings import Settings


@click.command("console")
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=8002, show_default=True, type=click.IntRange(1, 65_535))
@failing_aloud(Part.CONSOLE)
def console(host: str, port: int) -> None:
    """Serve the operators' desk: on this machine alone, or behind a proxy that says who is signed in."""
    from portal.front.monitors import is_loopback

    settings = Settings.from_env()
    if settings.console_user_header is None and not is_loopback(host):
        raise SettingsError(
            f"--host {host}: the desk asks nobody for a password, so it listens on 127.0.0.1 alone; to reach it from "
            "elsewhere put a proxy with your single sign-on before it and set PORTAL_CONSOLE_USER_HEADER"
        )
    Parts.waiting(settings, clock=SystemClock(), tells=False).close()
    factory, timeout = "portal.console.served:served", settings.stop_timeout
    server.run(factory, host, port, part=Part.CONSOLE, workers=1, stop_timeout=timeout)
