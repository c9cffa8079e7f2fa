"""`portal profile`: candidates' self-service, for operators."""

import click

from portal.background.mails import queue as mail_queue
from portal.cli.opened_services import operator_actions, ready
from portal.cli.sync import chosen
from portal.operations.actions.audit import ActionChannel, by_this_account
from portal.platform.errors import SettingsError
from portal.site.account.signing_in import invitation_for
from portal.site.forms.fields import email_address
from portal.site.forms.fields.refusal import Refused


@click.group("profile")
def profile() -> None:
    """Candidates' self-service."""


@profile.command("invite")
@click.argument("slug")
@click.argument("email")
def invite(slug: str, email: str) -> None:
    """Email a link to the sign-in page with the address filled in; it does not sign anyone in."""
    parts = ready()
    (tenant,) = chosen(parts.tenants, [slug])
    try:
        address = email_address.parse(email)
    except Refused as why:
        raise SettingsError("expected an email address such as name@example.com") from why
    with parts.database.write() as connection:
        mail_queue.send(
            connection,
            parts.seal,
            tenant=tenant.slug,
            template="invitation",
            locale=tenant.site.locales[0],
            recipient=address,
            facts={"to": invitation_for(parts.seal, tenant.slug, address)},
            now=parts.clock.now(),
        )
    click.echo("The invitation is queued; a worker will email it.")


@profile.command("sign-out")
@click.argument("slug")
@click.option("--everybody", is_flag=True, help="End the sessions of all candidates of the company.")
def sign_out(slug: str, everybody: bool) -> None:  # noqa: FBT001  a flag, as click passes it
    """End the sessions of a candidate, whose address is asked for: arguments are seen by others."""
    services = ready()
    (tenant,) = chosen(services.tenants, [slug])
    email = None if everybody else click.prompt("Email address", err=True)
    click.echo(operator_actions(services).sign_out(by_this_account(ActionChannel.COMMAND), tenant.slug, email))
