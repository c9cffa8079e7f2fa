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
from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import Database
from portal.platform.database.diagnosis import why
from portal.platform.errors import DatabaseUnavailable, SettingsError
from portal.platform.logs import Part
from portal.site.forms.fields import email_address
from portal.site.forms.fields.refusal import Refused
from portal.tracker import administration, loading, records
from portal.tracker.hiring import colleagues
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
        pass  # fail once on an unusable database, before the server's processes start
    if threads:
        set_for_children("TRACKER_THREADS", str(threads), whatever_it_was=True)
    with server.counting(workers):
        server.run("portal.tracker.wsgi:production_app", host, port, part=Part.TRACKER, workers=workers)


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


@tracker.group("colleague")
def colleague() -> None:
    """Colleagues who use the hiring pages."""


@colleague.command("add")
@click.argument("slug")
@click.argument("email")
@click.option(
    "--role", type=click.Choice([one.value for one in colleagues.Role]), default="recruiter", show_default=True
)
def colleague_add(slug: str, email: str, role: str) -> None:
    """Add a colleague, and email an invitation if TRACKER_SECRET_KEY and TRACKER_MAIL are set."""
    settings = TrackerSettings.from_env()
    seal = Seal(settings.secret_key, settings.secret_key_fallbacks) if settings.secret_key and settings.mail else None
    try:
        checked = email_address.parse(email)
    except Refused:
        raise click.BadParameter("expected an email address", param_hint="EMAIL") from None
    with _opened() as database, _refusals(email):
        company, wanted = administration.hiring_tenant(database, slug), colleagues.Role(role)
        by, now = colleagues.COMMAND, CLOCK.now()
        is_new = colleagues.add(database, seal, company, checked, wanted, by=by, locale="en", now=now)
        if not is_new:
            colleagues.change_role(database, company, checked, wanted, by=by, now=now)
    click.echo(
        f"{'Added' if is_new else 'Changed'} {checked}: {role}. Sign in: {settings.base_url}/{slug}/hiring", err=True
    )
    if seal is None:
        click.echo("Next: set TRACKER_SECRET_KEY and TRACKER_MAIL, and restart `portal tracker serve`", err=True)


@colleague.command("list")
@click.argument("slug")
def colleague_list(slug: str) -> None:
    """List colleagues, their roles, and when they last signed in."""
    with _opened() as database:
        for one in colleagues.all_of(database, administration.hiring_tenant(database, slug).id):
            seen = f"signed in {one.seen_at:%Y-%m-%d %H:%M:%S}Z" if one.seen_at else "never signed in"
            click.echo(f"{one.email}  {one.role.value}  {seen}")


@colleague.command("remove")
@click.argument("slug")
@click.argument("email")
def colleague_remove(slug: str, email: str) -> None:
    """Remove a colleague; their sessions end."""
    settings = TrackerSettings.from_env()
    seal = Seal(settings.secret_key, settings.secret_key_fallbacks) if settings.secret_key else None
    with _opened() as database, _refusals(email):
        company = administration.hiring_tenant(database, slug)
        colleagues.remove(database, seal, company, email, by=colleagues.COMMAND, now=CLOCK.now())
    click.echo(f"Removed {email}.", err=True)


@colleague.command("sign-out")
@click.argument("slug")
@click.option("--everybody", is_flag=True, help="End the sessions of all colleagues of the company.")
def colleague_sign_out(slug: str, everybody: bool) -> None:  # noqa: FBT001  a flag, as click passes it
    """End the sessions of a colleague, whose address is asked for: arguments are seen by others."""
    settings = TrackerSettings.from_env()
    if settings.secret_key is None:
        raise SettingsError("TRACKER_SECRET_KEY is not set: load the service's settings, then sign out again")
    seal = Seal(settings.secret_key, settings.secret_key_fallbacks)
    with _opened() as database:
        company = administration.hiring_tenant(database, slug)
        email = None if everybody else click.prompt("Email address", err=True)
        ended = colleagues.sign_out(database, seal, company, email, by=colleagues.COMMAND, now=CLOCK.now())
    click.echo(f"Sessions that ended: {ended}.")


@contextmanager
def _refusals(email: str) -> Iterator[None]:
    """Turn a refused change of colleagues into an error with what to do."""
    try:
        yield
    except colleagues.ColleagueRefused as refused:
        raise SettingsError(_REFUSED[refused.why].format(email=email)) from None


_REFUSED = {
    colleagues.RefusedChange.LAST_OWNER: "{email} is the only owner: make somebody else an owner first",
    colleagues.RefusedChange.TOO_MANY: "there are too many colleagues: remove one first",
    colleagues.RefusedChange.UNKNOWN: "{email} is no colleague: `portal tracker colleague list SLUG` shows them",
}


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
        reported = 0

        def say(count: int) -> None:
            nonlocal reported
            if count // 10_000 > reported:
                reported = count // 10_000
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
