"""`portal submissions`: what was accepted and where it is, applications and changes of records alike."""

import json
from datetime import datetime

import click

from portal.app import Parts
from portal.applications import operate, purge, uploads
from portal.clock import SystemClock
from portal.errors import SettingsError
from portal.outbox.states import State
from portal.records import operate as changes
from portal.settings import Settings

STATES = [state.value for state in State]


def _parts() -> Parts:
    parts = Parts.ready(Settings.from_env(), clock=SystemClock())
    click.get_current_context().call_on_close(parts.close)
    return parts


@click.group("submissions")
def submissions() -> None:
    """Applications and changes of records that were accepted, and where they are. Shows nothing personal."""


@submissions.command("list")
@click.option("--state", type=click.Choice(STATES))
@click.option("--json", "as_json", is_flag=True)
def list_(state: str | None, as_json: bool) -> None:  # noqa: FBT001  a flag, as click passes it
    """List submissions, oldest first."""
    database, wanted = _parts().database, State(state) if state else None
    found = operate.overview(database, state=wanted) + changes.overview(database, state=wanted)
    found.sort(key=lambda one: (one.accepted_at, one.reference))
    if as_json:
        click.echo(json.dumps([one.as_json() for one in found], indent=2))
        return
    for one in found:
        about = f"{one.kind:<13} {one.tenant:<16} {one.posting_id or '-':<24}"
        click.echo(f"{one.reference}  {one.state:<10} {about} {_time(one.accepted_at)}")
    if not found:
        click.echo("No submissions.")


@submissions.command("show")
@click.argument("reference")
@click.option("--json", "as_json", is_flag=True)
def show(reference: str, as_json: bool) -> None:  # noqa: FBT001  a flag, as click passes it
    """Show where one submission is."""
    database = _parts().database
    one = operate.one(database, reference) or changes.one(database, reference)
    if one is None:
        raise SettingsError(f"no submission has the reference {reference}")
    for name, value in one.as_json().items() if not as_json else ():
        click.echo(f"{name:<16} {'-' if value is None else value}")
    if as_json:
        click.echo(json.dumps(one.as_json(), indent=2))


@submissions.command("retry")
@click.argument("reference")
def retry(reference: str) -> None:
    """Send one now that is dead or waiting."""
    parts = _parts()
    # With a scanner, what is sent by hand passes it again: it may be dead because of what the scanner found.
    scanned = parts.settings.scanner == "off"
    if not (
        operate.retry(parts.database, reference, parts.clock, scanned=scanned)
        or changes.retry(parts.database, reference, parts.clock, scanned=scanned)
    ):
        why = "is not waiting and not dead, or its person sent a later change of the record"
        raise SettingsError(f"{reference} {why}: see `portal submissions show {reference}`")
    click.echo(f"{reference} is due now.")


@submissions.command("discard")
@click.argument("reference")
def discard(reference: str) -> None:
    """Give one up that was not delivered: its data and its CV are erased."""
    parts = _parts()
    if changes.discard(parts.database, reference, parts.clock):
        ttl = parts.settings.upload_ttl
        uploads.delete_unclaimed(parts.database, parts.store, older_than=ttl, clock=parts.clock)
    elif not purge.discard(parts.database, parts.store, reference, parts.clock):
        raise SettingsError(f"{reference} is delivered, being sent, or unknown: nothing was discarded")
    click.echo(f"{reference} is discarded; its data and CV are erased.")


def _time(instant: datetime) -> str:
    return instant.strftime("%Y-%m-%d %H:%M:%SZ")
