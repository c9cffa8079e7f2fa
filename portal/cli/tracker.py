"""`portal tracker`: runs and administers the recruitment tracking service."""

import hashlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path

import click

from portal.cli import server
from portal.cli.log_fatal import logging_fatal_errors
from portal.platform.clock import SystemClock
from portal.platform.config.settings import TrackerSettings, is_set, set_for_children
from portal.platform.database.db import Database
from portal.platform.database.diagnosis import why
from portal.platform.errors import DatabaseUnavailable, SettingsError
from portal.platform.logs import Part
from portal.tracker import administration, loading, records
from portal.tracker.tables import open_database

CLOCK = SystemClock()


@click.group()
def tracker() -> None:
    """The recruitment tracking service."""


@tracker.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=8001, show_default=True, type=click.IntRange(1, 65_535))
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1, 64), help="Number of processes.")
@click.option(
    "--threads",
    envvar="TRACKER_THREADS",
    type=click.IntRange(1, 256),
    help="Requests a process handles at a time; default: twice the number of cores.",
)
@logging_fatal_errors(Part.TRACKER)
def serve(host: str, port: int, workers: int, threads: int | None) -> None:
    """Run the service. Its processes share TRACKER_RATE_LIMITS if that names a Redis; otherwise each counts alone."""
    with _opened():
        pass  # fail here on an unusable database, once, and not in every worker
    if threads:
        set_for_children("TRACKER_THREADS", str(threads), whatever_it_was=True)
    with server.counting(workers):
        server.run("portal.tracker.wsgi:served", host, port, part=Part.TRACKER, workers=workers)


@tracker.group("tenant")
def tenant() -> None:
    """Tenants."""


@tenant.command("add")
@click.argument("slug")
@click.argument("name")
def tenant_add(slug: str, name: str) -> None:
    """Add a tenant with the default stages."""
    with _opened() as database:
        administration.add_tenant(database, CLOCK, slug, name)
    click.echo(f"Added {slug}. Next: portal tracker key create {slug}", err=True)


@tracker.group("company")
def company() -> None:
    """Companies that vacancies belong to."""


@company.command("add")
@click.argument("slug")
@click.argument("name")
def company_add(slug: str, name: str) -> None:
    """Add a company and print its id."""
    with _opened() as database:
        click.echo(administration.add_company(database, CLOCK, slug, name))


@tracker.group("key")
def key() -> None:
    """API keys."""


@key.command("create")
@click.argument("slug")
def key_create(slug: str) -> None:
    """Create a key and print it. It is shown only once."""
    with _opened() as database:
        click.echo(administration.create_key(database, CLOCK, slug))


@key.command("revoke")
@click.argument("slug")
@click.argument("key_id")
def key_revoke(slug: str, key_id: str) -> None:
    """Revoke a key at once; its id is the part between the underscores."""
    with _opened() as database:
        administration.revoke_key(database, CLOCK, slug, key_id)
    click.echo(f"Revoked {key_id}.", err=True)


@key.command("list")
@click.argument("slug")
def key_list(slug: str) -> None:
    """List key ids, when they were created, and when they were revoked."""
    with _opened() as database:
        for facts in administration.list_keys(database, slug):
            revoked = "active" if facts.revoked_at is None else f"revoked {facts.revoked_at:%Y-%m-%d %H:%M:%S}Z"
            click.echo(f"{facts.id}  created {facts.created_at:%Y-%m-%d %H:%M:%S}Z  {revoked}")


@tracker.command("load")
@click.argument("slug")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def load(slug: str, file: Path) -> None:
    """Load records from FILE, JSON Lines or one JSON document. Loading it again resumes where it stopped."""
    size = file.stat().st_size
    with (
        _opened() as database,
        file.open("rb") as raw,
        TextIOWrapper(raw, encoding="utf-8", errors="surrogateescape") as text,
        _progress(size, raw.tell) as progress,
    ):
        found = records.in_file(text)
        count = loading.load(database, CLOCK, slug, found, progress=progress, fingerprint=_fingerprint(file))
    click.echo(f"Loaded {count} records.", err=True)


@contextmanager
def _progress(size: int, position: Callable[[], int]) -> Iterator[Callable[[int], None]]:
    """Show a progress bar over the file's bytes on a terminal; elsewhere print a line every 10,000 records."""
    if sys.stderr.isatty():
        with click.progressbar(length=size, label="Loading", file=sys.stderr) as bar:
            yield lambda _count: bar.update(position() - bar.pos)
    else:
        said = 0

        def say(count: int) -> None:
            nonlocal said
            if count // 10_000 > said:
                said = count // 10_000
                click.echo(f"{count} records, {position() * 100 // max(size, 1)} %", err=True)

        yield say


def _fingerprint(file: Path) -> str:
    """Return the SHA-256 of the file's content."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


@contextmanager
def _opened() -> Iterator[Database]:
    """Open the service's database. Raises SettingsError with what to do if it cannot be used."""
    url = TrackerSettings.from_env().database_url
    if not is_set("TRACKER_DATABASE_URL"):
        click.echo(f"TRACKER_DATABASE_URL is not set, so this uses {url}; load your settings to use theirs", err=True)
    try:
        database = open_database(url)
        try:
            yield database
        finally:
            database.close()
    except DatabaseUnavailable as error:  # `portal check` covers only the portal's database
        raise SettingsError(f"the service's database: {why(error, url, setting='TRACKER_DATABASE_URL')}") from error
