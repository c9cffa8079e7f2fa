"""`portal sync`: one pass over the vacancies, and one over the candidates."""

import io
import sys
from collections.abc import Callable, Sequence
from functools import partial

import click

from portal.candidates import mirror as candidates
from portal.cli.ready import ready
from portal.errors import PortalError, SettingsError, place_of
from portal.parts import Parts
from portal.passes.reader import Report
from portal.passes.run import Order
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
    parts = ready()
    tenants = chosen(parts.tenants, slugs)
    failed = [tenant.slug for tenant in tenants if not _vacancies(parts, tenant, full=full)]
    failed += [tenant.slug for tenant in tenants if not _candidates(parts, tenant, full=full)]
    failed += [slug for slug in parts.tenants.problems() if not slugs and parts.tenants.get(slug) is None]
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


def _vacancies(parts: Parts, tenant: Tenant, *, full: bool) -> bool:
    sync = partial(mirror.sync, parts.database, parts.upstream(tenant), tenant, parts.clock)
    return _pass(tenant.slug, sync, full=full)


def _candidates(parts: Parts, tenant: Tenant, *, full: bool) -> bool:
    sync = partial(candidates.sync, parts.database, parts.upstream(tenant), tenant, parts.seal, parts.clock)
    return _pass(f"{tenant.slug}: candidates", sync, full=full)


def _pass(what: str, sync: Callable[[Order], Report], *, full: bool) -> bool:
    """One pass over one list; what is said of it begins with `what`."""
    # Off a terminal a bar would print its label and nothing else.
    screen = sys.stderr if sys.stderr.isatty() else io.StringIO()
    with click.progressbar(length=0, label=what, show_percent=False, show_pos=True, file=screen) as bar:
        try:
            report = sync(Order(full=full, force=full, progress=bar.update))
        except PortalError as error:
            click.echo(f"{what}: {error}", err=True)
            return False
        except Exception as error:  # noqa: BLE001  a fault over one list must not keep the others from being read
            click.echo(f"{what}: a fault: {place_of(error)}", err=True)
            return False
    if report.skipped:
        click.echo(f"{what}: another worker is reading it already")
        return True
    counts = f"{report.seen} seen, {report.changed} changed, {report.withdrawn} withdrawn, {report.bad} set aside"
    click.echo(f"{what}: {counts}")
    for alarm in report.alarms:
        click.echo(f"{what}: {alarm}", err=True)
    return not report.alarms
