"""The `portal` command: one thin module per command group.

Arguments and settings come in, services are called, lines of text go out. `main` is the entry point. A command's module
is imported only when the command is called, because the processes of the demo or of a multi-process server start
through this package and would otherwise each import what any command needs.
"""

import logging
import sys
from importlib import import_module

import click

from portal.platform.errors import PortalError

_GRACE = 30.0
"""Seconds in which a part of a demo that was killed finishes its requests."""

_COMMANDS = {
    "backup": "portal.cli.database",
    "check": "portal.cli.check",
    "console": "portal.cli.console",
    "db": "portal.cli.database",
    "demo": "portal.cli.demo",
    "init": "portal.cli.init",
    "profile": "portal.cli.profile",
    "requests": "portal.cli.requests",
    "restore": "portal.cli.database",
    "serve": "portal.cli.serve",
    "storage": "portal.cli.storage",
    "submissions": "portal.cli.submissions",
    "sync": "portal.cli.sync",
    "tenants": "portal.cli.tenants",
    "tracker": "portal.cli.tracker",
    "worker": "portal.cli.worker",
}
"""Command name → module; the function in the module has the same name as the command."""


class _Commands(click.Group):
    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = _COMMANDS.get(cmd_name)
        found: click.Command | None = getattr(import_module(module), cmd_name) if module else None
        return found


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="careers-portal", prog_name="portal", message="%(prog)s %(version)s")
@click.option(
    "--demo", "demo_process", type=int, metavar="PID", hidden=True, help="Run as a part of this demo process."
)
def portal(demo_process: int | None) -> None:
    """Careers portal, with a recruitment tracking service for companies that have none."""
    if demo_process:
        from portal.gateway.parent_watch import end_with_parent

        logging.getLogger("portal.access").setLevel(logging.WARNING)  # the terminal shows what matters to a person
        end_with_parent(_GRACE, parent=demo_process)  # a demo that is killed must not leave its ports in use


def main() -> None:
    """Run the console script. Exit status 0: done, 1: failed with one line on standard error, 2: wrong usage.

    That line is for the person who typed the command. Commands that run until they are stopped log it (log_fatal).
    """
    try:
        _begin_to_log()
        portal(standalone_mode=False)
    except click.exceptions.Abort:
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except PortalError as error:
        from portal.cli.log_fatal import in_words

        click.echo(f"portal: {in_words(error)}", err=True)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        click.echo(f"portal: {error.strerror or error} {error.filename or ''}".rstrip(), err=True)
        sys.exit(1)


def _begin_to_log() -> None:
    # Imported here so that processes started by a server, which import this module only for its name, do not load it.
    from portal.platform.config.settings import LogSettings
    from portal.platform.logs.setup import configure_logging

    configure_logging(LogSettings.from_env().form)
