"""`portal sync`: one mirror pass over vacancies, and one over the index of candidates."""

import io
import sys
from collections.abc import Sequence

import click

from portal.candidates import mirror as candidates
from portal.clock import SystemClock
from portal.errors import PortalError, SettingsError
from portal.parts import Parts
from portal.settings import Settings
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant
from portal.vacancies import mirror


@click.command("sync")
@click.argument("slugs", nargs=-1, metavar="[SLUG…]")
@click.option(
    "--full", is_flag=True, help="Read everything, find deletions, and confirm a withdrawal that was held back."
)
def sync(slugs: tuple[str, ...], full: bool) -> None:  # noqa: FBT001  a flag, as click passes it
    """One mirror pass over the named tenants, or all."""
    parts = Parts.ready(Settings.from_env(), clock=SystemClock())
    tenants = chosen(parts.tenants, slugs)
    failed = [tenant.slug for tenant in tenants if not _pass(parts, tenant, full=full)]
    failed += [tenant.slug for tenant in tenants if not _index(parts, tenant, full=full)]
    failed += [slug for slug in parts.tenants.problems() if not slugs]
    if failed:
        raise SettingsError("not mirrored: " + ", ".join(sorted(set(failed))))


def chosen(tenants: Tenants, slugs: Sequence[str]) -> list[Tenant]:
    """The named tenants, or all; SettingsError for one that is not there or whose file is broken."""
    if not slugs:
        return tenants.all()
    found: list[Tenant] = []
    for slug in slugs:
        tenant = tenants.get(slug)
        if tenant is None:
            raise SettingsError(f"tenant {slug}: {tenants.problems().get(slug, 'there is no such tenant file')}")
        found.append(tenant)
    return found


def _pass(parts: Parts, tenant: Tenant, *, full: bool) -> bool:
    # Off a terminal a bar would print its label and nothing else.
    screen = sys.stderr if sys.stderr.isatty() else io.StringIO()
    with click.progressbar(length=0, label=tenant.slug, show_percent=False, show_pos=True, file=screen) as bar:
        try:
            report = mirror.sync(
                parts.database, parts.upstream(tenant), tenant, parts.clock, full=full, force=full, progress=bar.update
            )
        except PortalError as error:
            click.echo(f"{tenant.slug}: {error}", err=True)
            return False
    counts = f"{report.seen} seen, {report.changed} changed, {report.withdrawn} withdrawn, {report.bad} set aside"
    click.echo(f"{tenant.slug}: {counts}")
    for alarm in report.alarms:
        click.echo(f"{tenant.slug}: {alarm}", err=True)
    return not report.alarms


def _index(parts: Parts, tenant: Tenant, *, full: bool) -> bool:
    try:
        report = candidates.sync(
            parts.database, parts.upstream(tenant), tenant, parts.seal, parts.clock, full=full, force=full
        )
    except PortalError as error:
        click.echo(f"{tenant.slug}: candidates: {error}", err=True)
        return False
    if report.skipped:
        click.echo(f"{tenant.slug}: candidates: a worker is at it")
        return True
    click.echo(f"{tenant.slug}: candidates: {report.seen} seen, {report.changed} changed, {report.removed} removed")
    if report.held_back:
        click.echo(
            f"{tenant.slug}: {report.held_back} candidates are missing, too many to be believed: --full", err=True
        )
    return not report.held_back
