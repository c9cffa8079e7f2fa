"""`portal backup`, `portal restore` and `portal db`: whole databases, files, tenant files and keys."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click
import sqlalchemy as sa

from portal.adapters.storage.opening import folder_of
from portal.background.outbox.queue import AfterRestore
from portal.cli.check_installation import ERASURES_DAMAGED
from portal.cli.opened_services import migrations_of, require_erasures, whole_databases
from portal.delivery.envelopes.person import used_keys
from portal.operations.backup import dumps, manifest
from portal.operations.backup.manifest import BackupError, Manifest, Report, size_in_words
from portal.operations.backup.restore import RestoreTarget, require_unused_since, settle_earlier_state, verify
from portal.operations.backup.restore import restore as restore_backup
from portal.operations.backup.take import BackupSource, remove_old, take
from portal.operations.database_copy import copy_database
from portal.operations.rekey import rekey as rekey_all
from portal.platform.clock import SystemClock
from portal.platform.config.settings import Settings, expectation, from_home, home
from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import Database
from portal.platform.database.diagnosis import why
from portal.platform.errors import DatabaseUnavailable
from portal.services import open_database
from portal.tracker.hiring.replies import discard_after_restore

CLOCK = SystemClock()
_OLDEST = timedelta(days=400)
_MAX_NAMED = 3
_LINE_EVERY = 10.0
_ON_A_TERMINAL_EVERY = 0.2
"""Seconds between two reports of progress."""


@click.command("backup")
@click.argument("words", nargs=-1, metavar="[verify] DIR")
@click.option("--keep", type=click.IntRange(1, 10_000), help="Then delete all backups but the newest N.")
@click.option("--verify", "verifies", is_flag=True, help="Then verify it: only then does it count as made.")
def backup(words: tuple[str, ...], keep: int | None, *, verifies: bool) -> None:
    """Back up databases, files, tenant files and their keys to DIR; or verify the newest backup there."""
    is_verify = words[:1] == ("verify",) and len(words) == 2
    if not is_verify and (len(words) != 1 or words[0] in {"", "verify"}):
        raise click.UsageError("expected: portal backup DIR, or portal backup verify DIR")
    folder = Path(words[-1]).resolve()
    if is_verify:
        _verify(folder)
        return
    with whole_databases() as (services, portal, tracker), _shown() as progress:
        files = folder_of(services.settings.attachments)
        if files and (folder.is_relative_to(files.resolve()) or files.resolve().is_relative_to(folder)):
            raise BackupError(f"{folder} and the files of PORTAL_ATTACHMENTS overlap: choose another folder")
        source = BackupSource(
            portal=portal,
            tracker=None if dumps.is_empty(tracker) else tracker,
            store=services.store,
            erasures=services.erasures,
            tenants=services.settings.tenants,
            home=home(),
            seal=services.seal,
        )
        portal.require_current_schema()
        if verifies:
            dumps.require_program("pg_restore", portal)
        before = manifest.last_taken(portal)
        made = take(source, folder, CLOCK, report=progress)
        if verifies:
            _verify_new(made, {"portal": portal, "tracker": tracker}, before, progress)
        if keep is not None and not Manifest.read(made).lost:
            remove_old(folder, keep)
    _tell_of_new(made, verified=verifies)


@click.command("restore")
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
def restore(folder: Path) -> None:
    """Restore the newest backup in DIR to the databases, storage and folders of the settings, which must be empty."""
    found = manifest.newest(folder.resolve())
    click.echo(f"{found}\n{Manifest.read(found).in_words()}")
    with whole_databases() as (services, portal, tracker), _shown() as progress:
        require_erasures(services)
        target = RestoreTarget(
            portal=portal,
            tracker=tracker,
            store=services.store,
            erasures=services.erasures,
            tenants=services.settings.tenants,
            home=home(),
            secrets=services.seal.fingerprints,
            settle_service=discard_after_restore,
            files=services.disks.places.get("attachments"),
            space=services.disks.space,
        )
        done = restore_backup(found.parent, found, target, CLOCK, report=progress)
    _tell_settled(done)


def _tell_settled(done: AfterRestore) -> None:
    """Print what is done with deliveries, emails and erasures after a restore."""
    click.echo(
        f"asked about first  {done.asked_first} deliveries, which the service may have received since\n"
        f"not sent           {done.not_sent} emails, and {done.of_service} of the hiring pages: they may have been\n"
        f"erased again       {done.erased} people, who were erased since; portal requests list: their requests are "
        "open\nNext: portal check"
    )
    wrong = [ERASURES_DAMAGED.format(count=done.damaged)] if done.damaged else []
    if names := done.damaged_copies:
        wrong.append(
            f"{len(names)} of the erasures recorded beside the backups are damaged and were not done again "
            f"({', '.join(names[:_MAX_NAMED])}): these people may be back; compare the emails that the companies got"
        )
    if wrong:
        raise BackupError(f"the rest is restored; {'; '.join(wrong)}")


def _tell_of_new(made: Path, *, verified: bool) -> None:
    contents = Manifest.read(made)
    click.echo(f"{made}\n{contents.in_words()}")
    if verified:
        click.echo("verified   everything was read and is complete")
    if contents.lost:
        raise BackupError(f"{', '.join(contents.lost)} could not be read and is not in this backup; all else is")


def _verify_new(made: Path, databases: dict[str, Database], before: datetime | None, report: Report) -> None:
    """Verify a new backup. If that fails, record the time of the previous one again, so that PortalBackupLate fires."""
    try:
        verify(made.parent, made, databases, report=report)
    except BaseException:
        if before:  # a failed first backup stays recorded; later ones reset the time to the previous backup's
            manifest.record_run(databases["portal"], before)
        raise


def _verify(folder: Path) -> None:
    found = manifest.newest(folder)
    with whole_databases() as (_, portal, tracker), _shown() as progress:
        verified = verify(found.parent, found, {"portal": portal, "tracker": tracker}, report=progress)
    click.echo(f"{found}: everything was read and is complete\n{verified.in_words()}")


class _Progress:
    """Shows a step's progress: one line that is rewritten on a terminal, else a line every ten seconds."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._every = _ON_A_TERMINAL_EVERY if self._is_terminal else _LINE_EVERY
        self._what, self._began, self._shown = "", 0.0, 0.0

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show how far a step has come. what: the step. done, total: bytes, files or rows; total 0: unknown."""
        now = CLOCK.monotonic()
        if what != self._what:
            self.end()
            self._what, self._began, self._shown = what, now, now
        elif now - self._shown >= self._every:
            self._shown = now
            self._show(done, total, now - self._began)

    def end(self) -> None:
        """End the line that was rewritten."""
        if self._is_terminal and self._what:
            click.echo(err=True)

    def _show(self, done: int, total: int, seconds: float) -> None:
        is_counted = self._what.endswith(("files", "rows"))
        amount = str if is_counted else size_in_words
        far = f"{amount(done)} of {amount(total)}" if total else amount(done)
        left = f", about {seconds / done * (total - done):.0f} s left" if 0 < done < total else ""
        click.echo(
            f"\r{self._what}: {far}{left}\033[K" if self._is_terminal else f"{self._what}: {far}{left}",
            err=True,
            nl=not self._is_terminal,
        )


@contextmanager
def _shown() -> Iterator[_Progress]:
    progress = _Progress()
    try:
        yield progress
    except OSError as error:
        raise BackupError(f"{error.strerror or type(error).__name__}: {error.filename or 'the disk'}") from error
    finally:
        progress.end()


@click.group("db")
def db() -> None:
    """The portal's database."""


@db.command("upgrade")
def upgrade() -> None:
    """Upgrade the schema to this release."""
    click.echo(_portal().upgrade().upgraded)


@db.command("copy")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option("--finish", is_flag=True, help="Use TO from now on; nobody may use FROM any more.")
def copy(source: str, target: str, *, finish: bool) -> None:
    """Copy the portal's or the service's database from SQLite to PostgreSQL, while it is in use.

    Run again, it copies what changed since. FROM: sqlite:///PATH. TO: postgresql+psycopg://…, an empty database; leave
    the password to PGPASSFILE or PGPASSWORD.
    """
    for hint, address in (("FROM", source), ("TO", target)):
        wrong = expectation("PORTAL_DATABASE_URL", address)
        if wrong or not sa.make_url(address).database:
            raise click.BadParameter(wrong or "it names no database", param_hint=hint)
    source, target = from_home(source), from_home(target)
    migrations = migrations_of(source)
    databases = [Database(address, migrations=migrations) for address in (source, target)]
    for database in databases:
        click.get_current_context().call_on_close(database.close)
    try:
        with databases[1].read():
            pass  # fail early if it cannot be reached
        with _shown() as progress:
            done = copy_database(*databases, finish=finish, report=progress)
    except DatabaseUnavailable as error:
        raise BackupError(f"TO cannot be used: {why(error, target, setting='TO')}") from error
    click.echo(f"{sum(done.rows.values())} rows of {len(done.rows)} tables are equal: counted and hashed on both sides")
    click.echo(f"written {done.written}, deleted {done.deleted}")
    name = "PORTAL_DATABASE_URL" if "deliveries" in done.rows else "TRACKER_DATABASE_URL"
    if finish:
        click.echo(f"FROM is not used any more. Next: set {name} to TO, then portal check")
    else:
        click.echo("Next: stop what uses FROM, and run the same with --finish")


@db.command("rekey")
@click.option("--to", "wanted", metavar="FINGERPRINT", help="The current key, where a newer one was in use before.")
def rekey(wanted: str | None) -> None:
    """Encrypt and hash data of former secret keys with the current one while everything runs; repeat it to continue."""
    settings = Settings.from_env()
    database = _portal()
    seal = Seal(settings.secret_key, settings.secret_key_fallbacks)
    ours, newest = seal.fingerprints[0], next(reversed(used_keys(database)), None)
    if newest not in {None, ours} and wanted != ours and ours in used_keys(database):
        raise click.ClickException(
            f"nothing was changed: {newest} became the current key after {ours}, which is the current one here: load "
            f"the settings of the servers and workers again, or, if they went back to {ours}, add --to {ours}"
        )
    with _shown() as progress:
        found = rekey_all(database, seal, progress)
    before = found.by_key[0]
    anew = found.by_key.total() - before
    click.echo(f"{anew} rows encrypted anew with the current key {ours}; {before} were of it already")
    if found.unknown:
        raise click.ClickException(f"{found.unreadable()}: add it to PORTAL_SECRET_KEY_FALLBACKS and run this again")


@db.command("restored")
@click.argument("instant", metavar="INSTANT", type=click.DateTime(["%Y-%m-%dT%H:%M:%SZ"]))
@click.option("--service", is_flag=True, help="The service's database, too, is as it was then.")
def restored(instant: datetime, *, service: bool) -> None:
    """Declare that the database is as it was at INSTANT, before servers and workers start again.

    INSTANT: in UTC, as 2026-11-26T03:15:00Z. For databases that were restored by other means than `portal restore`.
    """
    taken_at = instant.replace(tzinfo=UTC)
    age = CLOCK.now() - taken_at
    if not timedelta() <= age <= _OLDEST:
        raise click.BadParameter(f"expected an instant of the last {_OLDEST.days} days", param_hint="INSTANT")
    with whole_databases() as (services, database, tracker):
        require_erasures(services)
        database.upgrade()
        require_unused_since(database, taken_at)
        of_service = 0
        if service and not dumps.is_empty(tracker):
            if dumps.is_open_elsewhere(tracker):
                raise BackupError("the service's database is in use: stop the service")
            tracker.upgrade()
            of_service = discard_after_restore(tracker, CLOCK.now())
        done = settle_earlier_state(database, services.erasures, taken_at, CLOCK)
    _tell_settled(replace(done, of_service=of_service))


def _portal() -> Database:
    database = open_database(Settings.from_env())
    click.get_current_context().call_on_close(database.close)
    return database
