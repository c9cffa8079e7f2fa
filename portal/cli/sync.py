"""`portal sync`: one sync of the vacancies and one of the candidates, per tenant."""

import io
import sys
from collections.abc import Callable, Sequence
from functools import partial

import click

from portal.background.sync.run import PassOptions, Report
from portal.cli.opened_services import ready
from portal.delivery.envelopes.misconfiguration import resume
from portal.jobs.mirror import mirror
from portal.people.index import index as candidates
from portal.platform.errors import PortalError, SettingsError, error_location
from portal.services import Services
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant


@click.command("sync")
@click.argument("slugs", nargs=-1, metavar="[SLUG…]")
@click.option(
    "--full", is_flag=True, help="Read everything, find deletions, and confirm withdrawals that were held back."
)
def sync(slugs: tuple[str, ...], full: bool) -> None:  # noqa: FBT001  a flag, as click passes it
    """Sync the named tenants once, or all of them."""
    services = ready()
    tenants = chosen(services.tenants, slugs)
    failed = [tenant.slug for tenant in tenants if not _vacancies(services, tenant, full=full)]
    failed += [tenant.slug for tenant in tenants if not _candidates(services, tenant, full=full)]
    failed += [slug for slug in services.tenants.problems() if not slugs and services.tenants.get(slug) is None]
    if failed:
        raise SettingsError("not synced: " + ", ".join(sorted(set(failed))))


def chosen(tenants: Tenants, slugs: Sequence[str]) -> list[Tenant]:
    """Return the named tenants, or all of them; SettingsError for one that does not exist or whose file is invalid."""
    if not slugs:
        return tenants.all()
    found: list[Tenant] = []
    for slug in slugs:
        tenant = tenants.get(slug)
        if tenant is None:
            raise SettingsError(f"tenant {slug}: {tenants.problems().get(slug, 'there is no such tenant file')}")
        found.append(tenant)
    return found


def _vacancies(services: Services, tenant: Tenant, *, full: bool) -> bool:
    sync = partial(mirror.sync, services.database, services.upstream(tenant), tenant, services.clock)
    well = _pass(tenant.slug, sync, full=full)
    if well:
        resume(services.database, [tenant.slug], services.clock)
    return well


def _candidates(services: Services, tenant: Tenant, *, full: bool) -> bool:
    sync = partial(candidates.sync, services.database, services.upstream(tenant), tenant, services.seal, services.clock)
    return _pass(f"{tenant.slug}: candidates", sync, full=full)


def _pass(what: str, sync: Callable[[PassOptions], Report], *, full: bool) -> bool:
    """Sync one list and return whether it succeeded; `what` is the prefix of every line printed."""
    # Without a terminal a progress bar would print only its label.
    screen = sys.stderr if sys.stderr.isatty() else io.StringIO()
    with click.progressbar(length=0, label=what, show_percent=False, show_pos=True, file=screen) as bar:
        try:
            report = sync(PassOptions(full=full, force=full, progress=bar.update))
        except PortalError as error:
            click.echo(f"{what}: {error}", err=True)
            return False
        except Exception as error:  # noqa: BLE001  an internal error with one list must not stop the others
            click.echo(f"{what}: internal error: {error_location(error)}", err=True)
            return False
    if report.skipped:
        click.echo(f"{what}: another worker is already reading it")
        return True
    counts = f"{report.seen} seen, {report.changed} changed, {report.withdrawn} withdrawn, {report.bad} invalid"
    click.echo(f"{what}: {counts}")
    for alarm in report.alarms:
        click.echo(f"{what}: {alarm}", err=True)
    return not report.alarms
