"""The `portal` command, a module a command group; every module is thin."""

import logging
import sys

import click

from portal.cli.check import check
from portal.cli.database import db
from portal.cli.demo import demo
from portal.cli.profile import profile
from portal.cli.requests import requests
from portal.cli.serve import serve
from portal.cli.submissions import submissions
from portal.cli.sync import sync
from portal.cli.tenants import tenants
from portal.cli.tracker import tracker
from portal.cli.worker import worker
from portal.errors import PortalError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def portal() -> None:
    """Careers portal, and the recruitment tracking service for those that have none."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    for chatty in ("httpx", "httpcore", "botocore", "alembic"):
        # Their lines hold addresses with ids in them, or say nothing an operator needs.
        logging.getLogger(chatty).setLevel(logging.WARNING)


for command in (demo, serve, worker, sync, check, tenants, submissions, profile, requests, db, tracker):
    portal.add_command(command)


def main() -> None:
    """Console script: 0 done, 1 failed with one line on standard error, 2 wrong usage."""
    try:
        portal(standalone_mode=False)
    except click.exceptions.Abort:
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except PortalError as error:
        click.echo(f"portal: {error}", err=True)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        click.echo(f"portal: {error.strerror or error} {error.filename or ''}".rstrip(), err=True)
        sys.exit(1)
