"""`portal check`: checks the installation and prints one line per check."""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from datetime import timedelta
from urllib.parse import urlsplit

import click

from portal.adapters.inspection import inspection
from portal.adapters.inspection.scanner import open_scanner
from portal.adapters.mail.transports import open_mailer
from portal.adapters.tracker_client.errors import KeyRefused, RecordNotFound
from portal.app import health_of
from portal.background.mails.queue import LANE as MAIL
from portal.background.outbox import health as outbox
from portal.background.outbox.retry_policy import DEFERS_ALL
from portal.background.sync import health as sync_health
from portal.background.sync.tables import ListName
from portal.cli import check_installation as installation
from portal.cli.sync import chosen
from portal.delivery.envelopes import health as deliveries
from portal.delivery.envelopes import references
from portal.delivery.envelopes.misconfiguration import resume
from portal.delivery.kinds import KINDS
from portal.delivery.privacy_requests import health as requests
from portal.gateway.metrics_access import is_loopback
from portal.jobs.alerts import sending as alerts
from portal.jobs.mirror import state
from portal.jobs.pushes import changes, job_events
from portal.operations.console.preflight_run import CheckResult, section_of
from portal.operations.health.part import PartHealth, PartName, PartState, runbook_address
from portal.platform.clock import SystemClock
from portal.platform.config.settings import Settings, misspelt
from portal.platform.database.db import Database
from portal.platform.errors import PortalError, SettingsError, error_location
from portal.services import Services
from portal.site.design import accent
from portal.site.feeds import omissions
from portal.tenants.model import Tenant
from portal.tenants.pictures import stored_pictures

_OPTIONAL_SETTINGS = ("cover", "why", "people", "benefits", "quote", "links", "logo_dark", "cover_dark")
"""Optional settings with which a company introduces itself on its pages."""


def appearance_lines(tenant: Tenant) -> Iterator[CheckResult]:
    """Yield colours with their contrast, and the settings that are missing; none of it fails."""
    colour = tenant.site.accent
    by_day = _scheme("light", accent.light(colour), accent.LIGHT_GROUNDS)
    by_night = _scheme("dark", accent.dark(colour), accent.DARK_GROUNDS)
    yield CheckResult(f"colours {tenant.slug}", ok=True, says=f"{colour} becomes {by_day}; {by_night}")
    unset = {
        "site.logo": tenant.site.logo,
        "site.tagline": tenant.site.tagline,
        "site.about": tenant.site.about,
        "apply.privacy_url": tenant.apply.privacy_url,
        "mail.from": tenant.mail.sender,
    }
    left_out = [name for name, value in unset.items() if not value]
    says = f"not set: {', '.join(left_out)}" if left_out else "nothing is missing"
    yield CheckResult(f"site {tenant.slug}", ok=True, says=says, warns=bool(left_out))
    if tenant.site.analytics and not tenant.site.hosts:
        says = "this script can read what the pages of other companies show to the same browser: set site.hosts"
        yield CheckResult(f"analytics {tenant.slug}", ok=True, says=says, warns=True)
    optional = [name for name in _OPTIONAL_SETTINGS if not getattr(tenant.site, name)]
    says = f"could also show: {', '.join(f'site.{name}' for name in optional)}" if optional else "everything is set"
    yield CheckResult(f"company {tenant.slug}", ok=True, says=says)


def pictures(db: Database, tenant: Tenant) -> Iterator[CheckResult]:
    """Yield one line for each picture that the tenant file names."""
    missing = stored_pictures.missing(db, tenant)
    for slot in stored_pictures.addresses(tenant):
        name = stored_pictures.setting_of(slot).removeprefix("site.")
        yield CheckResult(f"{name} {tenant.slug}", ok=True, says=missing.get(slot, "fetched"), warns=slot in missing)


def _scheme(name: str, palette: accent.Palette, grounds: tuple[str, ...]) -> str:
    on_page = min(accent.contrast(palette.text, ground) for ground in (*grounds, palette.soft))
    on_button = accent.contrast(palette.on_fill, palette.fill)
    return f"{name}: buttons {palette.fill}, text contrast {on_button:.1f}:1; links {palette.text}, {on_page:.1f}:1"


_PARTS_WITHOUT_OWN_CHECK = frozenset({PartName.WORKERS, PartName.DISKS, PartName.SERVICES})
"""Parts of /readyz that no other check covers. They only warn: before the first start no worker is running."""


@click.command("check")
@click.argument("slugs", nargs=-1, metavar="[SLUG…]")
@click.option("--json", "as_json", is_flag=True)
def check(slugs: tuple[str, ...], as_json: bool) -> None:  # noqa: FBT001  a flag, as click passes it
    """Check settings, schema, tenants, branding, hosts, services, synced data, queues and shared services."""
    lines = list(_lines(slugs))
    if as_json:
        click.echo(json.dumps([{**asdict(line), "runbook": _runbook(line)} for line in lines], indent=2))
    else:
        for line in lines:
            where = _runbook(line)
            click.echo(f"{_verdict(line)}  {line.what:<24} {line.says}{where and f'; see {where}'}")
    failed = [line.what for line in lines if not line.ok]
    if failed:
        raise SettingsError("failed: " + ", ".join(dict.fromkeys(failed)))


def _runbook(line: CheckResult) -> str:
    section = section_of(line)
    try:
        settings = Settings.from_env()
    except SettingsError:  # the check `settings` reports it
        settings = None
    return runbook_address(settings, section) if section else ""


def _verdict(line: CheckResult) -> str:
    if not line.ok:
        return "FAILED"
    return "warn  " if line.warns else "ok    "


def _lines(slugs: tuple[str, ...]) -> Iterator[CheckResult]:
    try:
        services = Services.open(Settings.from_env(), clock=SystemClock(), log_outages=False)
    except PortalError as error:
        yield CheckResult("settings", ok=False, says="; ".join([str(error), *misspelt()]))
        return
    click.get_current_context().call_on_close(services.close)
    yield CheckResult("settings", ok=True, says="; ".join(misspelt()) or "readable", warns=bool(misspelt()))
    yield _addresses(services.settings)
    schema = installation.schema(services)
    yield schema
    for slug, problem in services.tenants.problems().items():
        if not slugs or (slug in slugs and services.tenants.get(slug)):
            yield CheckResult(f"tenant {slug}", ok=False, says=problem)
    try:
        tenants = chosen(services.tenants, slugs)
    except SettingsError as error:
        yield CheckResult("tenants", ok=False, says=str(error))
        tenants = []
    if not tenants and not slugs:
        yield CheckResult("tenants", ok=False, says=f"no valid tenant file in {services.settings.tenants}")
    for tenant in tenants:
        yield from _tenant(services, tenant, mirrored=schema.ok)
    yield installation.files(services)
    yield installation.disk_space(services)
    if schema.ok:
        yield installation.backup(services)
        yield from (*_restored(services), *installation.secret_keys(services), *installation.erasures(services))
    yield from installation.service_database(services)
    yield installation.limits(services)
    parts = health_of(services).of_each()
    for part in parts:
        if part.name in _PARTS_WITHOUT_OWN_CHECK:
            says = (part.says or "responding") if part.state is PartState.OK else f"{part.says}; {part.means}"
            yield CheckResult(part.name, ok=True, says=says, warns=part.state is not PartState.OK)
    yield _result("attachments", lambda: installation.attachments(services), "test file written, read back, deleted")
    yield _mail(services, next((part for part in parts if part.name is PartName.MAIL), None))
    yield _result("inspection", _inspection, "files are inspected in separate processes")
    scanner = open_scanner(services.settings.scanner)
    success = "reachable, detects the EICAR test file"
    yield _result("scanner", scanner.check, success) if scanner else CheckResult("scanner", ok=True, says="off")


def _restored(services: Services) -> Iterator[CheckResult]:
    state = references.restored_lately(services.database, since=services.clock.now() - timedelta(days=1))
    if state:
        says = (
            f"the database is as it was at {state:%Y-%m-%d %H:%M} UTC: until a worker has run, the lines on jobs, "
            "candidates, applications, services and mail show what was true then"
        )
        yield CheckResult("restore", ok=True, says=says, warns=True)


def _addresses(settings: Settings) -> CheckResult:
    """Return where visitors' IP addresses come from; warn if all have the proxy's, or if they send in clear."""
    says, base = "taken from the connection", urlsplit(settings.base_url)
    lacks_proxies = base.scheme == "https" and not settings.trusted_proxies
    if settings.trusted_proxies:
        says = f"from X-Forwarded-For, trusted proxies: {settings.trusted_proxies}; /metrics requires the token"
    elif lacks_proxies:
        says = (
            "PORTAL_BASE_URL is https, so a proxy must be in front, but none is trusted: all visitors seem to come "
            "from its address and share one rate limit; set PORTAL_TRUSTED_PROXIES to the number of proxies"
        )
    in_clear = base.scheme == "http" and not is_loopback(base.hostname or "")
    if in_clear:
        says += (
            "; PORTAL_BASE_URL is http, so whoever is on the way can read and change applications and sessions: put a "
            "proxy with TLS in front, and set https"
        )
    return CheckResult("visitors' addresses", ok=True, says=says, warns=in_clear or lacks_proxies)


def _tenant(services: Services, tenant: Tenant, *, mirrored: bool) -> Iterator[CheckResult]:
    nobody = "; [mail] operator is not set: nobody is emailed about failed applications and candidates' requests"
    if tenant.slug not in services.tenants.problems():
        says = "file is valid" + ("" if tenant.mail.operator else nobody)
        yield CheckResult(f"tenant {tenant.slug}", ok=True, says=says)
    service = _result(f"service {tenant.slug}", lambda: _service(services, tenant), "reachable, key accepted")
    yield service
    if service.ok and mirrored:
        resume(services.database, [tenant.slug], services.clock)
    ends = services.upstream(tenant).certificate_until() if service.ok else None
    if ends is not None:
        days = (ends - services.clock.now()).total_seconds() / 86_400
        warns = days < sync_health.WARNED_BELOW
        says = f"{sync_health.validity_in_words(days)}, until {ends:%Y-%m-%d %H:%M} UTC{': renew it' if warns else ''}"
        yield CheckResult(f"certificate {tenant.slug}", ok=True, says=says, warns=warns)
    yield from appearance_lines(tenant)
    yield from installation.host_lines(tenant, services.settings)
    if mirrored:
        yield from pictures(services.database, tenant)
        yield from _synced(services, tenant, responds=service.ok)
        yield from _push_lines(services, tenant)
        for kind in KINDS.values():
            found = deliveries.status_of(services.database, kind.name, tenant.slug, services.clock.now())
            yield CheckResult(f"{kind.plural} {tenant.slug}", ok=found.ok, says=found.says)
        for feed, says in omissions.shortcomings(
            services.database, tenant, services.clock.now(), base_url=services.settings.base_url
        ):
            yield CheckResult(f"{feed} {tenant.slug}", ok=True, says=says)
        found = requests.status_of(services.database, tenant.slug, services.clock.now())
        yield CheckResult(f"requests {tenant.slug}", ok=found.ok, says=found.says)
        counts = alerts.counts_by_tenant(services.database, services.clock.now()).get(tenant.slug, alerts.AlertCounts())
        yield CheckResult(f"alerts {tenant.slug}", ok=True, says=counts.in_words)


def _synced(services: Services, tenant: Tenant, *, responds: bool) -> Iterator[CheckResult]:
    db, now = services.database, services.clock.now()
    for what, name, problems in (
        ("mirror", ListName.VACANCIES, state.problems(db, tenant, now)),
        ("index", ListName.CANDIDATES, sync_health.problems(db, ListName.CANDIDATES, tenant.slug, now)),
    ):
        for problem in problems:
            is_over = responds and sync_health.may_be_over(db, name, tenant.slug, now, problem)
            yield _sync_problem(f"{what} {tenant.slug}", problem, is_over=is_over)
    if why := state.none_shown(services.database, tenant, services.clock):
        yield CheckResult(f"jobs {tenant.slug}", ok=True, says=why, warns=True)
    yield CheckResult(f"job search {tenant.slug}", ok=True, says=omissions.summary(services.database, tenant, now))


def _push_lines(services: Services, tenant: Tenant) -> Iterator[CheckResult]:
    for channel in changes.channels_of(tenant):
        ok, says = changes.status_of(services.database, tenant, channel)
        yield CheckResult(f"{channel.replace('_', ' ')} {tenant.slug}", ok=ok, says=says)
    if tenant.webhooks.jobs:
        ok, says = job_events.status_of(services.database, tenant, services.clock.now())
        yield CheckResult(f"webhook {tenant.slug}", ok=ok, says=says)


def _mail(services: Services, known: PartHealth | None) -> CheckResult:
    """Check the mail server's greeting, and what the workers reported. known: None while the database is unavailable.

    A server that defers every message greets normally, so that case fails. Any other failure may be fixed by now and
    only warns.
    """
    settings = services.settings
    line = _result("mail", lambda: open_mailer(settings.mail, settings.allow_insecure).check(), "reachable")
    if not line.ok or known is None or known.state is PartState.OK:
        return line
    defers_all = outbox.open_breakers(services.database).get(MAIL) == DEFERS_ALL
    return replace(line, ok=not defers_all, says=f"{line.says}, but {known.says}", warns=True)


def _sync_problem(what: str, problem: str, *, is_over: bool) -> CheckResult:
    if is_over:
        problem += "; the service responds now: a worker tries again within 15 minutes, `portal sync` immediately"
    may_wait = is_over or problem == sync_health.NOT_YET
    return CheckResult(what, ok=may_wait, says=problem, warns=may_wait)


def _inspection() -> str | None:
    can = inspection.forbidden_capabilities()
    if not can:
        return None
    return f"this system or container lets them {', '.join(can)}: allow seccomp, or use kernel 5.13 or later"


def _service(services: Services, tenant: Tenant) -> None:
    try:
        services.upstream(tenant).vacancies(limit=1)
    except KeyRefused as error:
        file = services.tenants.key_file(tenant.slug)
        where = f"into {file}" if file else "where tracker.api_key points"
        raise SettingsError(f"{error}: check tracker.slug, or put a new key {where}") from error
    except RecordNotFound as error:
        raise SettingsError("the service responds, but not at this base_url: check tracker.base_url") from error


def _result(what: str, job: Callable[[], str | None], success: str) -> CheckResult:
    """Run a check and return its result: `success` and the text that the check returns, or its error."""
    try:
        warning = job()
    except PortalError as error:
        return CheckResult(what, ok=False, says=str(error))
    except Exception as error:  # noqa: BLE001  an error of one check must not prevent the others
        return CheckResult(what, ok=False, says=f"internal error: {error_location(error)}")
    return CheckResult(what, ok=True, says=f"{success}; {warning}" if warning else success)
