"""`portal profile`: self-service from an operator's side."""

import click

from portal.cli.ready import ready
from portal.cli.sync import chosen
from portal.errors import SettingsError
from portal.letters import queue as letters
from portal.profile import invitation
from portal.web.fields import email_address
from portal.web.fields.refusal import Refused


@click.group("profile")
def profile() -> None:
    """Candidates' self-service."""


@profile.command("invite")
@click.argument("slug")
@click.argument("email")
def invite(slug: str, email: str) -> None:
    """Mail a link to the sign-in page with the address filled in; it signs nobody in."""
    parts = ready()
    (tenant,) = chosen(parts.tenants, [slug])
    try:
        address = email_address.parse(email)
    except Refused as why:
        raise SettingsError("expected an e-mail address such as name@example.com") from why
    with parts.database.write() as connection:
        letters.send(
            connection,
            parts.seal,
            tenant=tenant.slug,
            template="invitation",
            locale=tenant.site.locales[0],
            recipient=address,
            facts={"to": invitation.sealed_for(parts.seal, tenant.slug, address)},
            now=parts.clock.now(),
        )
    click.echo("The invitation is queued; the worker mails it.")
