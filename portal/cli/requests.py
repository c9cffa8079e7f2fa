"""`portal requests`: candidates' withdrawal and erasure requests that a tenant has not responded to."""

import json

import click

from portal.cli.opened_services import operator_actions, ready
from portal.delivery.privacy_requests import requests as privacy_requests
from portal.operations.actions.actions import ActRefused
from portal.operations.actions.audit import ActionChannel, by_this_account


@click.group("requests")
def requests() -> None:
    """Withdrawal and erasure requests that a tenant has not responded to. Shows no personal data."""


@requests.command("list")
@click.option("--json", "as_json", is_flag=True)
def list_(as_json: bool) -> None:  # noqa: FBT001  a flag, as click passes it
    """List open requests, earliest due date first."""
    parts = ready()
    found = privacy_requests.all_open(parts.database)
    if as_json:
        click.echo(json.dumps([one.as_json() for one in found], indent=2))
        return
    for one in found:
        late = "  OVERDUE" if one.due_at < parts.clock.now() else ""
        click.echo(f"{one.reference}  {one.kind:<9} {one.tenant:<16} respond by {one.due_at:%Y-%m-%d}{late}")
    if not found:
        click.echo("No open requests.")


@requests.command("done")
@click.argument("reference")
def done(reference: str) -> None:
    """Mark a request as done; the candidate is notified and their address erased."""
    try:
        click.echo(operator_actions(ready()).done(by_this_account(ActionChannel.COMMAND), reference))
    except ActRefused as why:
        raise ActRefused(f"{why}: see `portal requests list`") from why
