"""`portal requests`: withdrawal and erasure requests that a tenant still owes an answer."""

import json

import click

from portal.acts import doing
from portal.acts.audit import Way, by_this_account
from portal.acts.doing import ActRefused
from portal.cli.ready import ready
from portal.requests import owed


@click.group("requests")
def requests() -> None:
    """Withdrawal and erasure requests that a tenant still owes an answer. Shows nothing personal."""


@requests.command("list")
@click.option("--json", "as_json", is_flag=True)
def list_(as_json: bool) -> None:  # noqa: FBT001  a flag, as click passes it
    """List what is not answered yet, the one due first first."""
    parts = ready()
    found = owed.owed(parts.database)
    if as_json:
        click.echo(json.dumps([one.as_json() for one in found], indent=2))
        return
    for one in found:
        late = "  OVERDUE" if one.due_at < parts.clock.now() else ""
        click.echo(f"{one.reference}  {one.kind:<9} {one.tenant:<16} answer by {one.due_at:%Y-%m-%d}{late}")
    if not found:
        click.echo("No requests.")


@requests.command("done")
@click.argument("reference")
def done(reference: str) -> None:
    """Say that the tenant has done what was asked; the person is told, and their address forgotten."""
    try:
        click.echo(doing.done(ready(), by_this_account(Way.COMMAND), reference))
    except ActRefused as why:
        raise ActRefused(f"{why}: see `portal requests list`") from why
