"""The `portal` command, a module a command group; every module is thin.

A module is read when its command is called: the processes of a demo, or of a server with several, are started by this
one, and each would otherwise read all that any command needs.
"""

import logging
import sys
from importlib import import_module

import click

from portal.errors import PortalError

_COMMANDS = {
    "check": "portal.cli.check",
    "console": "portal.cli.console",
    "db": "portal.cli.database",
    "demo": "portal.cli.demo",
    "init": "portal.cli.init",
    "profile": "portal.cli.profile",
    "requests": "portal.cli.requests",
    "serve": "portal.cli.serve",
    "storage": "portal.cli.storage",
    "submissions": "portal.cli.submissions",
    "sync": "portal.cli.sync",
    "tenants": "portal.cli.tenants",
    "tracker": "portal.cli.tracker",
    "worker": "portal.cli.worker",
}
"""Each is called in its module as on the command line."""


class _Commands(click.Group):
    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = _COMMANDS.get(cmd_name)
        found: click.Command | None = getattr(import_module(module), cmd_name) if module else None
        return found


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="careers-portal", prog_name="portal", message="%(prog)s %(version)s")
@click.option("--calm", is_flag=True, hidden=True, help="Writes no line for each request: in front of a person.")
def portal(calm: bool) -> None:  # noqa: FBT001  a flag, as click passes it
    """Careers portal, and the recruitment tracking service for those that have none."""
    if calm:
        logging.getLogger("portal.access").setLevel(logging.WARNING)


def main() -> None:
    """Console script: 0 done, 1 failed with one line on standard error, 2 wrong usage.

    The line is for the person who typed the command. Those that run until they are stopped log it (aloud).
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
        from portal.cli.aloud import in_words

        click.echo(f"portal: {in_words(error)}", err=True)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        click.echo(f"portal: {error.strerror or error} {error.filename or ''}".rstrip(), err=True)
        sys.exit(1)


def _begin_to_log() -> None:
    # Read here, and not by the processes that a server starts: they import this module for its name alone.
    from portal.logs.begin import begin
    from portal.settings import LogSettings

    begin(LogSettings.from_env().form)
