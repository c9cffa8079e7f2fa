"""`portal demo`: the whole product with embedded databases, as one process tree."""

import socket
from pathlib import Path

import click

from portal.demo import folder as pictures
from portal.demo.folder import TENANTS, DemoFolder, hold, prepare
from portal.demo.processes import ProcessTree
from portal.platform.clock import SystemClock
from portal.platform.config.settings import Settings, child_environment, is_set
from portal.platform.errors import SettingsError
from portal.services import Services
from portal.worker import Work


@click.command("demo")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(1, 65_534))
@click.option("--data", default=Path("instance/demo"), show_default=True, type=click.Path(path_type=Path))
def demo(port: int, data: Path) -> None:
    """Run the whole product on this machine: the service on port+1, portal, worker."""
    portal_url, tracker_url = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{port + 1}"
    for number in (port, port + 1):
        _require_free(number)
    clock = SystemClock()
    click.get_current_context().call_on_close(hold(data).close)
    folder = prepare(
        data,
        portal_url=portal_url,
        tracker_base_url=tracker_url,
        clock=clock,
        progress=lambda line: click.echo(f"{line} …"),
    )
    environment = _environment(folder, portal_url, tracker_url)
    settings = Settings.from_env(environment)
    services = Services.open(settings, clock=clock)
    services.database.upgrade()
    pictures.hang(services.database, services.tenants.all(), clock)
    with ProcessTree() as tree:
        # Start both at once: most of the time goes into importing modules, separately in each process.
        tree.start(["tracker", "serve", "--port", str(port + 1)], environment)
        tree.start(["serve", "--demo", "--port", str(port)], environment)
        tree.wait_until_up(f"{tracker_url}/healthz", clock)
        if not tree.stopping.is_set():
            Work(services).mirror_what_is_due()
        tree.start(["worker"], environment)
        tree.wait_until_up(f"{portal_url}/healthz", clock)
        if not tree.stopping.is_set():
            _announce(folder, portal_url, tracker_url)
            tree.watch()
    click.echo("Stopped. The data is kept in " + str(folder.path))


def _environment(folder: DemoFolder, portal_url: str, tracker_url: str) -> dict[str, str]:
    """Return the environment of every child; variables set outside stay unless the demo sets them itself."""
    values = {
        "PORTAL_DATABASE_URL": folder.portal_url,
        "PORTAL_TENANTS": str(folder.tenants),
        "PORTAL_ATTACHMENTS": f"file:{folder.path / 'attachments'}",
        "PORTAL_MAIL": f"file:{folder.path / 'mail'}",
        "PORTAL_BASE_URL": portal_url,
        "TRACKER_DATABASE_URL": folder.tracker_url,
        "TRACKER_BASE_URL": tracker_url,
        "PYTHONUNBUFFERED": "1",
    }
    if not is_set("PORTAL_SECRET_KEY"):
        values["PORTAL_SECRET_KEY"] = folder.secret_key()
    return child_environment(**values)


def _announce(folder: DemoFolder, portal_url: str, tracker_url: str) -> None:
    click.echo("")
    for slug, name in TENANTS.items():
        click.echo(f"  {name:<16} {portal_url}/{slug}/")
    click.echo(f"  {'Embedded':<16} {pictures.own_site(portal_url)}{pictures.PATH}")
    click.echo(f"  {'The service':<16} {tracker_url}/")
    click.echo(f"  {'API keys':<16} {folder.path / 'keys'}")
    click.echo(f"  {'Emails':<16} {folder.path / 'mail'}")
    click.echo(f"Ready: open {portal_url}/acme/  (Ctrl-C stops everything; the data is kept)")


def _require_free(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as exc:
            raise SettingsError(f"port {port} is in use: choose another with --port (make run PORT=9000)") from exc
