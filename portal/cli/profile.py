"""`portal profile`: candidates' self-service, for operators."""

import click

from portal.background.mails import queue as mail_queue
from portal.cli.opened_services import ready
from portal.cli.sync import chosen
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
