"""`portal init`: creates a folder with settings, a tenant file and systemd units."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click
import sqlalchemy as sa
from click.core import ParameterSource

from portal.cli import installation_files
from portal.platform.clock import SystemClock
from portal.platform.config import private_files
from portal.platform.config.settings import Settings, TrackerSettings, child_environment, expectation
from portal.platform.errors import PortalError, SettingsError
from portal.services import open_database
from portal.tracker import administration
from portal.tracker.tables import open_database as open_service

_Wrong = Callable[[str], str | None]
"""A text → what is wrong with it, or None."""


def _setting(name: str) -> _Wrong:
    return lambda text: installation_files.unquotable(text) or expectation(name, text)


@dataclass(frozen=True, slots=True)
class _Question:
    """A question. usual: returns the default answer, given the earlier answers; None if there is no default."""

    flag: str
    words: str
    wrong: _Wrong
    usual: Callable[[dict[str, str]], str | None]
    asked: Callable[[dict[str, str]], bool] = lambda _: True
    secret: bool = False


def _always(text: str | None) -> Callable[[dict[str, str]], str | None]:
    return lambda _: text


_QUESTIONS = (
    _Question("base_url", "Public URL of the portal", _setting("PORTAL_BASE_URL"), _always("http://127.0.0.1:8000")),
    _Question(
        "proxies",
        "Number of proxies in front of it",
        _setting("PORTAL_TRUSTED_PROXIES"),
        lambda answers: "1" if answers["base_url"].startswith("https:") else "0",
    ),
    _Question("database", "Database", _setting("PORTAL_DATABASE_URL"), _always("sqlite:///portal.db"), secret=True),
    _Question("attachments", "Where to store CVs", _setting("PORTAL_ATTACHMENTS"), _always("file:attachments")),
    _Question(
        "s3_endpoint",
        "URL of the S3-compatible server, or aws",
        lambda text: None if text == "aws" else _setting("PORTAL_S3_ENDPOINT")(text),
        _always("aws"),
        asked=lambda answers: answers["attachments"].startswith("s3:"),
    ),
    _Question("mail", "How to send email", _setting("PORTAL_MAIL"), _always("file:mail"), secret=True),
    _Question("rate_limits", "Rate limits", _setting("PORTAL_RATE_LIMITS"), _always("memory:"), secret=True),
    _Question("scanner", "Malware scanner", _setting("PORTAL_SCANNER"), _always("off")),
    _Question("tenant", "First company, as it appears in URLs", installation_files.wrong_slug, _always(None)),
    _Question(
        "name",
        "Company name",
        installation_files.wrong_name,
        lambda answers: answers["tenant"].replace("-", " ").title(),
    ),
    _Question("service", "URL of its recruitment tracking service", installation_files.wrong_service, _always(None)),
    _Question(
        "service_database",
        "Database of that service, or none if it does not run here",
        lambda text: None if text == "none" else _setting("PORTAL_DATABASE_URL")(text),
        lambda answers: installation_files.service_database(answers) or "none",
        secret=True,
    ),
    _Question(
        "key",
        "Where its API key is stored",
        installation_files.wrong_key,
        lambda answers: f"file:keys/{answers['tenant']}",
    ),
)


@click.command("init")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--base-url", envvar="PORTAL_BASE_URL", help="Public origin of the portal, such as https://careers.example."
)
@click.option("--proxies", envvar="PORTAL_TRUSTED_PROXIES", help="Number of proxies in front that set X-Forwarded-*.")
@click.option("--database", envvar="PORTAL_DATABASE_URL", help="sqlite:///PATH or postgresql+psycopg://…")
@click.option("--attachments", envvar="PORTAL_ATTACHMENTS", help="file:FOLDER or s3://BUCKET")
@click.option("--s3-endpoint", envvar="PORTAL_S3_ENDPOINT", help="URL of the S3-compatible server, or aws.")
@click.option("--mail", envvar="PORTAL_MAIL", help="file:FOLDER, smtp://…, smtps://… or ses:REGION")
@click.option("--rate-limits", envvar="PORTAL_RATE_LIMITS", help="memory: or redis://…")
@click.option("--scanner", envvar="PORTAL_SCANNER", help="off, clamd:HOST:PORT or clamd:/PATH")
@click.option("--tenant", metavar="SLUG", help="The first company, as it appears in URLs.")
@click.option("--name", help="The company's name.")
@click.option("--service", metavar="URL", help="{base_url} of its recruitment tracking service.")
@click.option(
    "--service-database",
    envvar="TRACKER_DATABASE_URL",
    help="The same for that service, or none.",
)
@click.option("--key", metavar="env:NAME|file:PATH", help="Where its API key is stored.")
@click.option("--yes", is_flag=True, help="Ask no questions; use the defaults for missing options.")
def init(folder: Path, yes: bool, **flags: str | None) -> None:  # noqa: FBT001  a flag, as click passes it
    """Ask a few questions, write settings, a tenant file and units into DIR, then check that they are right."""
    home = folder.absolute()
    installation_files.require_new(home)
    _require_flags(flags, asks=not yes)
    answers = _answers_by_flag(flags, asks=not yes)
    try:
        environment = installation_files.write(home, answers)
    except OSError as error:
        raise SettingsError(
            f"{error.filename or home} cannot be written ({error.strerror}); nothing was left behind: choose another "
            "folder, or create this one and make the current user its owner"
        ) from error
    click.echo(f"\nWritten to {home}: settings.env, tenants/{answers['tenant']}.toml, units\n")
    is_ready = _schema_made(environment)
    has_key = _added_to_service(home, answers, environment)
    fine = _looks_right(environment)
    click.echo("\nNext steps:")
    for number, line in enumerate(
        installation_files.next_steps(home, answers, lacks_schema=not is_ready, has_key=has_key), 1
    ):
        click.echo(f"  {number}. {line}")
    if not fine:
        click.echo(
            "Some checks failed: each FAILED line says what to do. The PORTAL_… settings are in "
            f"{home}/settings.env; after a change, run `{installation_files.command_line(home, 'check')}`"
        )


def _require_flags(flags: dict[str, str | None], *, asks: bool) -> None:
    """Raise UsageError naming every flag that is wrong or missing. No value is repeated: some are secrets."""
    given = {name: text or "" for name, text in flags.items()}
    wrong: list[str] = []
    for question in _QUESTIONS:
        flag = flags[question.flag]
        if flag is not None and (reason := question.wrong(flag.strip())):
            wrong.append(f"{_named(question.flag)}: {reason}")
        elif flag is None and not asks and question.usual(given) is None:
            wrong.append(f"{_named(question.flag)} is required with --yes")
    if wrong:
        raise click.UsageError("\n  ".join([*wrong, "Nothing was written."]))


def _named(flag: str) -> str:
    """Return the flag, or the environment variable that it was taken from."""
    context = click.get_current_context()
    if context.get_parameter_source(flag) is ParameterSource.ENVIRONMENT:
        return installation_files.VARIABLES_BY_FLAG[flag]
    return f"--{flag.replace('_', '-')}"


def _answers_by_flag(flags: dict[str, str | None], *, asks: bool) -> dict[str, str]:
    answers: dict[str, str] = {}
    for question in _QUESTIONS:
        if not question.asked(answers):
            continue
        flag, usual = flags[question.flag], question.usual(answers)
        if flag is not None or not asks:
            answer = (flag if flag is not None else usual or "").strip()
        else:
            answer = click.prompt(question.words, default=usual, value_proc=_asked_again(question))
        answers[question.flag] = answer
    return answers


def _asked_again(question: _Question) -> Callable[[str], str]:
    def read(text: str) -> str:
        if wrong := question.wrong(text.strip()):
            raise click.BadParameter(wrong)
        return text.strip()

    return read


def _schema_made(environment: dict[str, str]) -> bool:
    """Create the schema in an empty database; return whether there is a schema now, of this or another release."""
    try:
        database = open_database(Settings.from_env(child_environment(**environment)))
        try:
            with database.read() as connection:
                is_empty = not sa.inspect(connection).get_table_names()
            if is_empty:
                database.upgrade()
        finally:
            database.close()
    except (PortalError, sa.exc.DBAPIError):
        return False  # `portal check` reports the reason
    return True


def _added_to_service(home: Path, answers: dict[str, str], environment: dict[str, str]) -> bool:
    """Add the company to the service whose database is set up here, and store its API key; return whether it was added.

    Do nothing if the service already has the company, or if the key is not to be stored in a new file.
    """
    kind, _, where = answers["key"].partition(":")
    file = home / where
    if answers.get("service_database", "none") == "none" or kind != "file" or file.exists() or not file.parent.is_dir():
        return False
    try:
        database = open_service(TrackerSettings.from_env(child_environment(**environment)).database_url)
        try:
            if not administration.ensure_tenant(database, SystemClock(), answers["tenant"], answers["name"]):
                return False
            private_files.write(file, administration.create_key(database, SystemClock(), answers["tenant"]) + "\n")
        finally:
            database.close()
    except (PortalError, sa.exc.DBAPIError, OSError):
        return False  # the printed next steps explain how to do it by hand
    return True


def _looks_right(environment: dict[str, str]) -> bool:
    """Run `portal check`, print its output, and return whether it passed."""
    done = subprocess.run(
        [sys.executable, "-m", "portal.cli", "check"],
        env=child_environment(**environment),
        capture_output=True,
        text=True,
        check=False,
    )
    # Standard error would only repeat that the check failed, which is not an error of `init`; the next steps follow.
    click.echo(done.stdout or done.stderr, nl=False)
    return done.returncode == 0
