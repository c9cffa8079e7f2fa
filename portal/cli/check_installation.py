"""Checks of database, files, backup, erasures, secret keys, rate limits, disk space and hosts, for `portal check`."""

import shlex
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import httpx
import sqlalchemy as sa

from portal.adapters.storage.opening import folder_of, within
from portal.delivery.envelopes.person import count_hashed_before, used_keys
from portal.delivery.privacy_requests.tombstones import count_unstored, survey
from portal.delivery.uploads.disk_space import DATABASE, DATABASE_DISK_FULL
from portal.operations.backup import manifest
from portal.operations.console.preflight_run import CheckResult
from portal.operations.rekey import count_unread_candidates, use_of_keys
from portal.platform.clock import in_time
from portal.platform.config import private_files
from portal.platform.config.settings import Settings, TrackerSettings
from portal.platform.database import diagnosis
from portal.platform.database.db import Database, metadata
from portal.platform.errors import DatabaseUnavailable, PortalError, SettingsError, StoreError
from portal.services import Services
from portal.site.routing import hosts
from portal.tenants.addresses import origin_on
from portal.tenants.model import Tenant

_MAX_NAMED = 3
_OF_SQLITE = ("", "-wal", "-shm")
_RIGHTS = ("SELECT", "INSERT", "UPDATE", "DELETE")


def schema(services: Services) -> CheckResult:
    """Check that the database is available, has this release's schema, is undamaged and is writable by us."""
    what = "database schema"
    try:
        services.database.require_current_schema()
        if not services.disks.lets_write(DATABASE):
            return CheckResult(what, ok=False, says=DATABASE_DISK_FULL)
        _require_rights(services)
        if damage := _damage(services):
            return CheckResult(what, ok=False, says=damage)
    except (DatabaseUnavailable, sa.exc.DBAPIError) as error:
        return CheckResult(what, ok=False, says=diagnosis.why(error, services.settings.database_url))
    except PortalError as error:
        return CheckResult(what, ok=False, says=str(error))
    return CheckResult(
        what, ok=True, says="up to date" + ("; quick_check found no damage" if services.database.is_sqlite else "")
    )


def _damage(services: Services) -> str:
    """Return the first damage that SQLite's quick_check finds, or "" if there is none."""
    if not services.database.is_sqlite:
        return ""
    with services.database.read() as connection:
        found = connection.scalar(sa.text("PRAGMA quick_check(1)"))
    return "" if found == "ok" else f"{services.database.file}: {diagnosis.DAMAGED} (quick_check: {found})"


def _require_rights(services: Services) -> None:
    """Raise unless the role may read and write all of our tables. SQLite reports it when a write begins."""
    with services.database.write() as connection:
        if services.database.is_sqlite:
            return
        if connection.scalar(sa.text("SELECT current_setting('transaction_read_only') = 'on'")):
            raise SettingsError(
                "PostgreSQL gives this role read-only access, as a standby does: set PORTAL_DATABASE_URL to the primary"
            )
        there = set(sa.inspect(connection).get_table_names())
        may = " AND ".join(f"has_table_privilege(:name, '{right}')" for right in _RIGHTS)
        without = [
            name
            for name in sorted(there & set(metadata.tables))
            if not connection.scalar(sa.text(f"SELECT {may}"), {"name": name})
        ]
        role = connection.scalar(sa.text("SELECT current_user"))
    if without:
        raise SettingsError(
            f"the role {role} cannot read and write {_some(without)}: make it the database owner, or run as the owner "
            f"`GRANT {', '.join(_RIGHTS)} ON ALL TABLES IN SCHEMA public TO {role}`"
        )


def files(services: Services) -> CheckResult:
    """Check whether other users of this machine can read what people have sent."""
    # Only folders are named, not files: a CV's file name is its key. SQLite's -wal and -shm files come and go.
    found = [shlex.quote(str(place)) for place in _folders(services) if private_files.is_open_to_others(place)]
    database = services.database.file
    if database and any(private_files.is_open_to_others(database.with_name(database.name + end)) for end in _OF_SQLITE):
        found.insert(0, f"{shlex.quote(str(database))}*")
    if not found:
        return CheckResult("files", ok=True, says="other users of this machine cannot read stored files")
    advice = f"other users of this machine can read stored files: run chmod -R go= {' '.join(found)}"
    return CheckResult("files", ok=True, says=advice, warns=True)


def _folders(services: Services) -> Iterator[Path]:
    for address in (services.settings.attachments, services.settings.mail):
        if folder := folder_of(address):
            yield folder


def disk_space(services: Services) -> CheckResult:
    """Check that the disks have space for new files; files are refused before a disk is full."""
    short = services.disks.places_short_of_space()
    says = (
        f"disk space is nearly used up for {', '.join(short)}: no CV is accepted until there is more" if short else ""
    )
    return CheckResult("disk space", ok=not short, says=says or "enough")


def backup(services: Services) -> CheckResult:
    """Check when the newest backup was made; warn if there is none, or two daily ones were missed."""
    taken_at = manifest.last_taken(services.database)
    if taken_at is None:
        says = "none was made by `portal backup DIR`: run it daily, unless you back up in another way"
        return CheckResult("backup", ok=True, says=says, warns=True)
    hours = (services.clock.now() - taken_at).total_seconds() / 3_600
    return CheckResult("backup", ok=True, says=f"the newest is {hours:.0f} hours old", warns=hours > _BACKUP_HOURS)


def service_database(services: Services) -> Iterator[CheckResult]:
    """Check the service's database on PostgreSQL; warn if it is on SQLite and the portal's on PostgreSQL.

    Yields nothing if the service runs elsewhere, or if both databases are on SQLite.
    """
    url, what = TrackerSettings.from_env().database_url, "service database"
    address = sa.make_url(url)
    if address.get_backend_name() != "sqlite":
        with closing(Database(url, migrations=services.database.migrations)) as database:
            try:
                with database.read():
                    yield CheckResult(what, ok=True, says="can be used")
            except DatabaseUnavailable as error:
                says = diagnosis.why(error, url, setting="TRACKER_DATABASE_URL")
                yield CheckResult(what, ok=False, says=says)
    elif Path(address.database or "").is_file() and not services.database.is_sqlite:
        says = f"on SQLite ({address.database}), while the portal's is on PostgreSQL: only this machine can use it"
        yield CheckResult(what, ok=True, says=says, warns=True)


def secret_keys(services: Services) -> Iterator[CheckResult]:
    """Check which former secret keys are still needed, and whether one is missing; name all by their fingerprints."""
    seal, what = services.seal, "secret keys"
    current, *fallbacks = seal.fingerprints
    yield CheckResult(what, ok=True, says=f"current key {current}")
    used = used_keys(services.database)
    missing = [one for one in used if one not in seal.fingerprints]
    if not fallbacks and not missing:
        return
    found = use_of_keys(services.database, seal)
    if found.unknown:
        names = f"; used here before and not set: {', '.join(missing)}" if missing else ""
        yield CheckResult(what, ok=False, says=f"{found.unreadable()}{names}: add it to {_FALLBACKS}")
    elif missing:
        yield CheckResult(what, ok=True, says=f"removed: {', '.join(missing)}; nothing that is stored needs them")
    for number, fingerprint in enumerate(fallbacks, 1):
        needs = _need(services, found.by_key[number]) if found.by_key[number] or fingerprint in used else _NOT_USED
        yield CheckResult(what, ok=True, says=f"fallback {number} ({fingerprint}) {needs}")


def _need(services: Services, rows: int) -> str:
    if rows:
        return f"still needed: {rows} rows; run `portal db rekey`"
    if candidates := count_unread_candidates(services.database, services.seal):
        return f"still needed by {candidates} candidates to sign in; run `portal sync --full`"
    older = count_hashed_before(services.database, services.seal)
    finished = f" finished applications that only it finds: up to {older};" if older else ""
    return (
        f"decrypts nothing any more;{finished} how long to keep it: docs/operating/configure.md#change-the-secret-key"
    )


def erasures(services: Services) -> Iterator[CheckResult]:
    """Yield lines about erasures that are recorded only in the database: restoring a backup would undo them."""
    late = count_unstored(services.database, before=services.clock.now() - _ERASURE_LATE)
    if late:
        says = (
            f"{late} are recorded in the database alone: check PORTAL_ERASURES, which is PORTAL_ATTACHMENTS if not set"
        )
        yield CheckResult("erasures", ok=False, says=says)
    try:
        damaged, unread = survey(services.database, services.erasures)
    except StoreError as error:
        yield CheckResult("erasures", ok=False, says=f"PORTAL_ERASURES: {error}")
    else:
        if damaged:
            yield CheckResult("erasures", ok=False, says=ERASURES_DAMAGED.format(count=damaged))
        if unread:
            says = (
                f"the database does not know {unread} more below _erased/, which were not read: a worker does them "
                "again when it starts, and once an hour"
            )
            yield CheckResult("erasures", ok=True, says=says, warns=True)


def attachments(services: Services) -> None:
    """Write, read and delete a small file; raise StoreError, also if that takes too long."""
    within(_STORE_SECONDS, services.store.check)


def limits(services: Services) -> CheckResult:
    """Check whether rate limits are counted, and across which processes."""
    try:
        shared = services.throttle.check()
    except PortalError as error:
        return CheckResult("rate limits", ok=False, says=f"{error}; until then each process counts separately")
    alone = "each process counts separately: with several processes or machines, set PORTAL_RATE_LIMITS to a Redis"
    return CheckResult("rate limits", ok=True, says="counted across all processes" if shared else alone)


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    return ", ".join(names[:_MAX_NAMED]) + more


_FALLBACKS = "PORTAL_SECRET_KEY_FALLBACKS"
_NOT_USED = "is not used yet: make it PORTAL_SECRET_KEY of every server, worker and console next"
ERASURES_DAMAGED = (
    "{count} objects below _erased/ in PORTAL_ERASURES cannot be read as erasures: bring that storage back as it was, "
    "or delete them; until then a restore may bring people back who were erased"
)
_ERASURE_LATE = timedelta(minutes=15)
_BACKUP_HOURS = 50
"""Two daily backups, and two hours."""
_STORE_SECONDS = 60.0
"""Seconds: longer than a storage that does not respond takes to fail, including one retry."""
_SECONDS = 5.0
_AT_ONCE = 8
Resolve = Callable[[str], list[str]]
"""Host name → its IP addresses. Raises OSError."""


def _resolve(host: str) -> list[str]:
    return sorted({str(found[4][0]) for found in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)})


def host_lines(
    tenant: Tenant, settings: Settings, *, resolve: Resolve = _resolve, transport: httpx.BaseTransport | None = None
) -> Iterator[CheckResult]:
    """Yield one line for each host. None counts as failed, because DNS may be set up later. transport: for tests."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = pool.map(lambda host: _in_time(lambda: _trouble(host, settings, resolve, transport)), tenant.site.hosts)
        for host, trouble in zip(tenant.site.hosts, found, strict=True):
            says = trouble or f"points here; {_sends(settings)}"
            yield CheckResult(f"host {host}", ok=True, says=says, warns=bool(trouble))


def _sends(settings: Settings) -> str:
    return (
        "the proxy must send Host unchanged (or X-Forwarded-Host), X-Forwarded-Proto and X-Forwarded-For, and "
        f"PORTAL_TRUSTED_PROXIES (now {settings.trusted_proxies}) must say how many proxies do"
    )


def _trouble(host: str, settings: Settings, resolve: Resolve, transport: httpx.BaseTransport | None) -> str:
    origin = origin_on(settings.base_url, host)
    scheme = origin.partition(":")[0]
    try:
        found = ", ".join(resolve(host)[:4])
    except OSError:
        return "the name does not resolve: point it to this server with an A, AAAA or CNAME record"
    try:
        with httpx.Client(timeout=_SECONDS - 1, trust_env=False, transport=transport) as client:
            answer = client.get(f"{origin}{hosts.ADDRESS}", params={"domain": host})
    except httpx.HTTPError as error:
        return f"points to {found}, where {origin} does not respond ({str(error)[:120] or type(error).__name__})"
    answer_text = answer.text[:200]
    if answer.status_code != httpx.codes.OK or not answer_text.startswith("careers-portal "):
        return f"points to {found}, where something else responds ({answer.status_code}), or a portal without this host"
    if answer_text == hosts.answer(host=host, domain=host, scheme=scheme):
        return ""
    wrong = (
        "does not forward the host name"
        if "by this host" not in answer_text
        else f"does not report that the request came by {scheme}"
    )
    return f"points here, but a proxy in between {wrong}: {_sends(settings)}"


def _in_time(job: Callable[[], str]) -> str:
    try:
        return in_time(job, _SECONDS)
    except TimeoutError:
        return f"could not be looked up within {_SECONDS:g} seconds"
