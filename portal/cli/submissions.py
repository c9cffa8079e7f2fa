"""`portal submissions`: what was accepted and where it is, applications and changes of records alike."""

import json
from collections.abc import Callable
from datetime import datetime

import click

from portal.acts import doing
from portal.acts.audit import By, Way, by_this_account
from portal.acts.doing import ActRefused
from portal.cli.ready import ready
from portal.deliveries import operate
from portal.deliveries.receipt import Standing
from portal.errors import SettingsError
from portal.kinds import KINDS
from portal.outbox.states import State
from portal.parts import Parts

STATES = [state.value for state in State]
_STANDINGS = {
    Standing.RECEIVED: "Received",
    Standing.WITH_COMPANY: "With company",
    Standing.WITHDRAWN: "Withdrawn",
    Standing.NOT_DELIVERED: "Not delivered",
    Standing.NOT_CONFIRMED: "Not confirmed",
    Standing.NOT_SENT: "Not sent",
}
"""As its person reads it."""


def _in_capitals(_context: click.Context, _parameter: click.Parameter, typed: str | None) -> str | None:
    return typed.upper() if typed else typed


@click.group("submissions")
def submissions() -> None:
    """Applications and changes of records that were accepted, and where they are. Shows nothing personal."""


@submissions.command("list")
@click.option("--state", type=click.Choice(STATES))
@click.option("--after", metavar="REF", callback=_in_capitals, help="Begin behind this one.")
@click.option("--limit", type=click.IntRange(1), help="List no more than so many.")
@click.option("--json", "as_json", is_flag=True)
def list_(state: str | None, after: str | None, limit: int | None, as_json: bool) -> None:  # noqa: FBT001  a flag, as click passes it
    """List submissions, oldest first."""
    wanted = State(state) if state else None
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
        stands = f"{one.state:<10} {_STANDINGS[one.standing]:<13}"
        click.echo(f"{one.reference}  {stands} {about} {_time(one.accepted_at)}{waits}{again}")
    if none:
        click.echo("No submissions.")


@submissions.command("show")
@click.argument("reference", callback=_in_capitals)
@click.option("--json", "as_json", is_flag=True)
def show(reference: str, as_json: bool) -> None:  # noqa: FBT001  a flag, as click passes it
    """Show where one submission is, what its person agreed to, and by which link they came."""
    parts = ready()
    database = parts.database
    one = operate.one(database, KINDS, reference)
    if one is None:
        raise SettingsError(f"no submission has the reference {reference}")
    consent, sources = operate.consent_of(database, one), operate.sources_of(database, parts.seal, one)
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
    """Send one now that is dead or waiting."""
    _do(doing.retry, reference)


@submissions.command("release")
@click.argument("reference", callback=_in_capitals)
def release(reference: str) -> None:
    """Send what is held for a look, because a program may have sent it, or for its sender's confirmation."""
    _do(doing.release, reference)


@submissions.command("discard")
@click.argument("reference", callback=_in_capitals)
def discard(reference: str) -> None:
    """Give one up that was not delivered: its data and its CV are erased."""
    _do(doing.discard, reference)


def _do(act: Callable[[Parts, By, str], str], reference: str) -> None:
    parts = ready()
    try:
        click.echo(act(parts, by_this_account(Way.COMMAND), reference))
    except ActRefused as why:
        where = f"show {reference}" if operate.one(parts.database, KINDS, reference) else "list"
        raise ActRefused(f"{why}; see `portal submissions {where}`") from why


def _time(instant: datetime) -> str:
    return instant.strftime("%Y-%m-%d %H:%M:%SZ")
