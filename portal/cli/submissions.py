"""`portal submissions`: accepted applications and profile changes, their status, and actions on them."""

import json
from collections.abc import Callable
from datetime import datetime

import click

from portal.background.outbox.states import OutboxState
from portal.cli.opened_services import operator_actions, ready
from portal.delivery.envelopes import submissions as operate
from portal.delivery.envelopes.receipt import DeliveryProgress
from portal.delivery.envelopes.repeats import SubmittedAgain
from portal.delivery.kinds import KINDS
from portal.operations.actions.actions import ActRefused, OperatorActions
from portal.operations.actions.audit import ActionChannel, Actor, by_this_account
from portal.platform.errors import SettingsError

STATES = [state.value for state in OutboxState]
_STANDINGS = {
    DeliveryProgress.RECEIVED: "Received",
    DeliveryProgress.WITH_COMPANY: "With company",
    DeliveryProgress.WITHDRAWN: "Withdrawn",
    DeliveryProgress.NOT_DELIVERED: "Not delivered",
    DeliveryProgress.NOT_CONFIRMED: "Not confirmed",
    DeliveryProgress.NOT_SENT: "Not sent",
}
"""The status as the candidate sees it."""


def _in_capitals(_context: click.Context, _parameter: click.Parameter, typed: str | None) -> str | None:
    return typed.upper() if typed else typed


@click.group("submissions")
def submissions() -> None:
    """Applications and profile changes that were accepted, and their status. Shows no personal data."""


@submissions.command("list")
@click.option("--state", type=click.Choice(STATES))
@click.option("--after", metavar="REF", callback=_in_capitals, help="Start after this one.")
@click.option("--limit", type=click.IntRange(1), help="List at most this many.")
@click.option("--json", "as_json", is_flag=True)
def list_(state: str | None, after: str | None, limit: int | None, as_json: bool) -> None:  # noqa: FBT001  a flag, as click passes it
    """List submissions, oldest first."""
    wanted = OutboxState(state) if state else None
    found = operate.overview(ready().database, KINDS, state=wanted, after=after, limit=limit)
    if as_json:
        click.echo(json.dumps([one.as_json() for one in found], indent=2))
        return
    none = True
    for one in found:
        none = False
        about = f"{one.kind:<13} {one.tenant:<16} {one.posting_id or '-':<24}"
        waits = f"  held for the {one.held_for}" if one.held_for else ""
        again = f"  sent again {_time(one.again_at)}" if one.again_at else ""
        stands = f"{one.state:<10} {_STANDINGS[one.progress]:<13}"
        click.echo(f"{one.reference}  {stands} {about} {_time(one.accepted_at)}{waits}{again}")
    if none:
        click.echo("No submissions.")


@submissions.command("show")
@click.argument("reference", callback=_in_capitals)
@click.option("--json", "as_json", is_flag=True)
def show(reference: str, as_json: bool) -> None:  # noqa: FBT001  a flag, as click passes it
    """Show the status of one submission, what the candidate agreed to, and the link they came from."""
    services = ready()
    database = services.database
    one = operate.find(database, KINDS, reference)
    if one is None:
        raise SettingsError(f"no submission has the reference {reference}")
    consent, sources = operate.consent_of(database, one), operate.sources_of(database, services.seal, one)
    again = operate.sent_again_as(database, one)
    if as_json:
        more = {"consent": consent.as_json() if consent else None, "sources": sources, "sentAgainAs": again}
        click.echo(json.dumps({**one.as_json(), **more}, indent=2))
        return
    lines: dict[str, object] = dict(one.as_json())
    if consent:
        lines |= {"consentGivenAt": consent.given_at.isoformat(), "consentText": consent.text}
    lines |= {f"source {name}": value for name, value in sources.items()}
    lines |= {"sentAgainAs": ", ".join(again)} if again else {}
    for name, value in lines.items():
        click.echo(f"{name:<16} {'-' if value is None else value}")


@submissions.command("retry")
@click.argument("reference", callback=_in_capitals)
def retry(reference: str) -> None:
    """Send one that has failed or is waiting now."""
    _do(OperatorActions.retry, reference)


@submissions.command("release")
@click.argument("reference", callback=_in_capitals)
def release(reference: str) -> None:
    """Release what is held for review, because a bot may have sent it, or for the candidate's confirmation."""
    _do(OperatorActions.release, reference)


@submissions.command("discard")
@click.argument("reference", callback=_in_capitals)
def discard(reference: str) -> None:
    """Discard one that was not delivered: its data and its CV are erased."""
    _do(OperatorActions.discard, reference)


def _do(act: Callable[[OperatorActions, Actor, str], str], reference: str) -> None:
    services = ready()
    try:
        click.echo(act(operator_actions(services), by_this_account(ActionChannel.COMMAND), reference))
    except ActRefused as why:
        if isinstance(why.__cause__, SubmittedAgain):
            reference = why.__cause__.reference
        where = f"show {reference}" if operate.find(services.database, KINDS, reference) else "list"
        raise ActRefused(f"{why}; see `portal submissions {where}`") from why


def _time(instant: datetime) -> str:
    return instant.strftime("%Y-%m-%d %H:%M:%SZ")
