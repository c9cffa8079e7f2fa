"""`portal check`: preflight, a line each."""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict

import click

from portal.alerts import health as alerts
from portal.attachments import inspection
from portal.attachments.scanner import open_scanner
from portal.cli import check_hosts, check_looks, check_stores
from portal.cli.preflight import Line
from portal.cli.sync import chosen
from portal.clock import SystemClock
from portal.deliveries import health as deliveries
from portal.errors import NotThere, PortalError, SettingsError, place_of
from portal.kinds import KINDS
from portal.mail.address import open_mailer
from portal.parts import Parts
from portal.passes import health as passes
from portal.passes.tables import ListName
from portal.pushes import health as pushes
from portal.reach import left_out, report
from portal.requests import health as requests
from portal.settings import Settings, misspelt
from portal.standing.part import Name, State
from portal.standing.standing import Standing
from portal.tenants.model import Tenant
from portal.vacancies import health

_NOT_LOOKED_AT_BELOW = frozenset({Name.WORKERS, Name.DISKS, Name.SERVICES})
"""Parts of /readyz that have no line of their own. They warn: before the first start no worker is there to be found."""


@click.command("check")
@click.argument("slugs", nargs=-1, metavar="[SLUG…]")
@click.option("--json", "as_json", is_flag=True)
def check(slugs: tuple[str, ...], as_json: bool) -> None:  # noqa: FBT001  a flag, as click passes it
    """Preflight: settings, schema, tenants, their looks and hosts, the service, mirror and index, what waits, parts."""
    lines = list(_lines(slugs))
    if as_json:
        click.echo(json.dumps([asdict(line) for line in lines], indent=2))
    else:
        for line in lines:
            click.echo(f"{_verdict(line)}  {line.what:<24} {line.says}")
    failed = [line.what for line in lines if not line.ok]
    if failed:
        raise SettingsError("failed: " + ", ".join(failed))


def _verdict(line: Line) -> str:
    if not line.ok:
        return "FAILED"
    return "warns " if line.warns else "ok    "


def _lines(slugs: tuple[str, ...]) -> Iterator[Line]:
    try:
        parts = Parts.open(Settings.from_env(), clock=SystemClock(), tells=False)
    except PortalError as error:
        yield Line("settings", ok=False, says="; ".join([str(error), *misspelt()]))
        return
    click.get_current_context().call_on_close(parts.close)
    yield Line("settings", ok=True, says="; ".join(misspelt()) or "readable", warns=bool(misspelt()))
    yield Line("visitors' addresses", ok=True, says=_addresses(parts.settings))
    schema = check_stores.schema(parts)
    yield schema
    for slug, problem in parts.tenants.problems().items():
        if not slugs or (slug in slugs and parts.tenants.get(slug)):
            yield Line(f"tenant {slug}", ok=False, says=problem)
    try:
        tenants = chosen(parts.tenants, slugs)
    except SettingsError as error:
        yield Line("tenants", ok=False, says=str(error))
        tenants = []
    if not tenants and not slugs:
        yield Line("tenants", ok=False, says=f"no usable tenant file in {parts.settings.tenants}")
    for tenant in tenants:
        yield from _tenant(parts, tenant, mirrored=schema.ok)
    yield check_stores.files(parts)
    yield check_stores.room(parts)
    yield check_stores.limits(parts)
    for part in Standing(parts).of_each():
        if part.name in _NOT_LOOKED_AT_BELOW:
            well = part.says or "answers"
            says = well if part.state is State.OK else f"{part.says}; {part.means}: see {part.do}"
            yield Line(part.name, ok=True, says=says, warns=part.state is not State.OK)
    yield _try("attachments", parts.store.check, "written, read back, deleted")
    yield _try("mail", lambda: open_mailer(parts.settings.mail).check(), "reachable")
    yield _try("inspection", _inspection, "files are looked into in processes of their own")
    scanner = open_scanner(parts.settings.scanner)
    found = "reachable, finds the EICAR test file"
    yield _try("scanner", scanner.check, found) if scanner else Line("scanner", ok=True, says="off")


def _addresses(settings: Settings) -> str:
    """Where visitors seem to come from, as far as the settings tell."""
    if settings.trusted_proxies:
        return f"by X-Forwarded-For of {settings.trusted_proxies} trusted; the token is needed for /metrics"
    if settings.base_url.startswith("https://"):
        return (
            "a proxy must be in front, for PORTAL_BASE_URL is https, and none is trusted: every visitor seems to come "
            "from its address and their limits are one; set PORTAL_TRUSTED_PROXIES to how many there are"
        )
    return "as they connect"


def _tenant(parts: Parts, tenant: Tenant, *, mirrored: bool) -> Iterator[Line]:
    nobody = "; [mail] operator is not set: nobody is written to about dead applications and people's requests"
    if tenant.slug not in parts.tenants.problems():
        yield Line(f"tenant {tenant.slug}", ok=True, says="file is valid" + ("" if tenant.mail.operator else nobody))
    yield _try(f"service {tenant.slug}", lambda: _service(parts, tenant), "reachable, key accepted")
    yield from check_looks.lines(tenant)
    yield from check_hosts.lines(tenant, parts.settings)
    if mirrored:
        yield from check_looks.pictures(parts.database, tenant)
        for problem in health.problems(parts.database, tenant, parts.clock.now()):
            yield _pass(f"mirror {tenant.slug}", problem)
        for problem in passes.problems(parts.database, ListName.CANDIDATES, tenant.slug, parts.clock.now()):
            yield _pass(f"index {tenant.slug}", problem)
        found_by = left_out.said(parts.database, tenant, parts.clock.now())
        yield Line(f"job search {tenant.slug}", ok=True, says=found_by)
        for channel in pushes.channels_of(tenant):
            fine, says = pushes.of(parts.database, tenant, channel)
            yield Line(f"{channel.replace('_', ' ')} {tenant.slug}", ok=fine, says=says)
        for kind in KINDS.values():
            found = deliveries.of(parts.database, kind.name, tenant.slug, parts.clock.now())
            yield Line(f"{kind.plural} {tenant.slug}", ok=found.fine, says=found.says)
        for feed, says in report.shortcomings(parts, tenant):
            yield Line(f"{feed} {tenant.slug}", ok=True, says=says)
        found = requests.of(parts.database, tenant.slug, parts.clock.now())
        yield Line(f"requests {tenant.slug}", ok=found.fine, says=found.says)
        told = alerts.standing(parts.database, parts.clock.now()).get(tenant.slug, alerts.Standing())
        yield Line(f"alerts {tenant.slug}", ok=True, says=told.says)


def _pass(what: str, problem: str) -> Line:
    is_new = problem == passes.NOT_YET
    return Line(what, ok=is_new, says=problem, warns=is_new)


def _inspection() -> str | None:
    can = inspection.could()
    if not can:
        return None
    return f"this system, or the container, lets them {', '.join(can)}: allow seccomp, or a kernel from 5.13 on"


def _service(parts: Parts, tenant: Tenant) -> None:
    try:
        parts.upstream(tenant).vacancies(limit=1)
    except NotThere as error:
        raise SettingsError("the service answers, but not at this base_url: see tracker.base_url") from error


def _try(what: str, job: Callable[[], str | None], fine: str) -> Line:
    """Whether the job goes without an error; what it returns is worth saying and fails nothing."""
    try:
        warning = job()
    except PortalError as error:
        return Line(what, ok=False, says=str(error))
    except Exception as error:  # noqa: BLE001  whatever a part raises, what else is wrong is to be read too
        return Line(what, ok=False, says=f"a fault of this program: {place_of(error)}")
    return Line(what, ok=True, says=f"{fine}; {warning}" if warning else fine)
