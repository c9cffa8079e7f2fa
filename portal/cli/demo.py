"""`portal demo`: the whole product with embedded databases, as one process tree."""

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType, TracebackType
from typing import Self

import click
import httpx

from portal.demo import folder as pictures
from portal.demo.folder import TENANTS, DemoFolder, hiring_code, lock_folder, prepare
from portal.platform.clock import Clock, SystemClock
from portal.platform.config.settings import STOP_TIMEOUT, Settings, TrackerSettings, child_environment, is_set
from portal.platform.errors import PortalError, SettingsError
from portal.services import Services
from portal.worker import WorkerThreads

_STOP_WAIT = STOP_TIMEOUT + 5.0
"""Seconds to wait for a child to end; it finishes its requests in progress first."""
_UP_WITHIN = 60.0


class ProcessTree:
    """Commands of this package, run as children; leaving the block ends all of them.

    A signal to stop (Ctrl-C, SIGTERM) sets `stopping`. Children run in process groups of their own, so that a Ctrl-C
    reaches only this process, which stops them in reverse order of their start.
    """

    def __init__(self) -> None:
        self.stopping = threading.Event()
        self._children: list[tuple[str, subprocess.Popen[bytes]]] = []

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._ask)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for _, child in reversed(self._children):
            if child.poll() is None:
                child.terminate()
                try:
                    child.wait(_STOP_WAIT)
                except subprocess.TimeoutExpired:
                    child.kill()
                    child.wait()

    def start(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start `portal COMMAND`."""
        child = subprocess.Popen(  # noqa: S603  our own interpreter and our own module
            [sys.executable, "-m", "portal.cli", "--demo", str(os.getpid()), *command],
            env=dict(environment),
            start_new_session=True,
        )
        self._children.append((command[0], child))

    def wait_until_up(self, url: str, clock: Clock) -> None:
        """Wait until `url` answers 200; PortalError if it does not in time, or if a child has ended."""
        until = clock.monotonic() + _UP_WITHIN
        with httpx.Client(trust_env=False, timeout=2) as client:
            while clock.monotonic() < until and not self.stopping.is_set():
                self.raise_if_ended()
                try:
                    if client.get(url).is_success:
                        return
                except httpx.HTTPError:
                    pass  # the server has not started yet
                self.stopping.wait(0.1)
        if not self.stopping.is_set():
            raise PortalError(f"{url} did not answer within {_UP_WITHIN:g} s; its lines above say why")

    def watch(self) -> None:
        """Wait for a signal to stop; PortalError if a child ends unexpectedly."""
        while not self.stopping.wait(0.5):
            self.raise_if_ended()

    def raise_if_ended(self) -> None:
        """Raise PortalError if a child has ended unexpectedly."""
        for name, child in self._children:
            if child.poll() is not None:
                raise PortalError(f"`portal {name}` ended with status {child.returncode}; its lines above say why")

    def _ask(self, _signal: int, _frame: FrameType | None) -> None:
        self.stopping.set()


@click.command("demo")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(1, 65_534))
@click.option("--data", default=Path("instance/demo"), show_default=True, type=click.Path(path_type=Path))
def demo(port: int, data: Path) -> None:
    """Run the whole product on this machine: the service on port+1, portal, worker."""
    portal_url, tracker_url = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{port + 1}"
    for number in (port, port + 1):
        _require_free(number)
    clock = SystemClock()
    click.get_current_context().call_on_close(lock_folder(data).close)
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
    pictures.store_pictures(services.database, services.tenants.all(), clock)
    with ProcessTree() as tree:
        # Start both at once: most of the time goes into importing modules, separately in each process.
        tree.start(["tracker", "serve", "--port", str(port + 1)], environment)
        tree.start(["serve", "--demo", "--port", str(port)], environment)
        tree.wait_until_up(f"{tracker_url}/healthz", clock)
        if not tree.stopping.is_set():
            WorkerThreads(services).mirror_what_is_due()
        tree.start(["worker"], environment)
        tree.wait_until_up(f"{portal_url}/healthz", clock)
        if not tree.stopping.is_set():
            code = hiring_code(folder, TrackerSettings.from_env(environment), clock)
            _announce(folder, portal_url, tracker_url, code)
            tree.watch()
    click.echo("Stopped. The data is kept in " + str(folder.path))


def _environment(folder: DemoFolder, portal_url: str, tracker_url: str) -> dict[str, str]:
    """Return the environment of every child: this process's, with the variables that the demo sets."""
    values = {
        "PORTAL_DATABASE_URL": folder.portal_url,
        "PORTAL_TENANTS": str(folder.tenants),
        "PORTAL_ATTACHMENTS": f"file:{folder.path / 'attachments'}",
        "PORTAL_MAIL": f"file:{folder.path / 'mail'}",
        "PORTAL_BASE_URL": portal_url,
        "TRACKER_DATABASE_URL": folder.tracker_url,
        "TRACKER_BASE_URL": tracker_url,
        "TRACKER_MAIL": f"file:{folder.path / 'mail'}",
        "TRACKER_SECRET_KEY": folder.secret_key("hiring-"),
        "PYTHONUNBUFFERED": "1",
    }
    if not is_set("PORTAL_SYNC_INTERVAL"):
        values["PORTAL_SYNC_INTERVAL"] = "3"  # so that a job appears on the portal soon after it was published
    if not is_set("PORTAL_SECRET_KEY"):
        values["PORTAL_SECRET_KEY"] = folder.secret_key()
    return child_environment(**values)


def _announce(folder: DemoFolder, portal_url: str, tracker_url: str, code: str | None) -> None:
    click.echo("")
    for slug, name in TENANTS.items():
        click.echo(f"  {name:<16} {portal_url}/{slug}/")
    click.echo(f"  {'Embedded':<16} {pictures.own_site(portal_url)}{pictures.PATH}")
    click.echo(f"  {'The service':<16} {tracker_url}/")
    click.echo(f"  {'Hiring at Acme':<16} {tracker_url}/acme/hiring/code  (code of its owner: {code})")
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
