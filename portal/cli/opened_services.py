"""The services as commands open them."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import click
import sqlalchemy as sa

from portal.adapters.storage.opening import folder_of, within
from portal.operations.actions.actions import OperatorActions
from portal.operations.backup import dumps
from portal.platform.clock import SystemClock
from portal.platform.config.settings import Settings, TrackerSettings
from portal.platform.database.db import Database
from portal.platform.database.diagnosis import why
from portal.platform.database.migrations import FOLDER
from portal.platform.errors import DatabaseUnavailable, SettingsError, StoreError
from portal.services import Services, open_database
from portal.tracker.tables import MIGRATIONS

_TIMEOUT = 60.0
"""Seconds for a small file."""


def ready() -> Services:
    """Open the services from the environment, on a database of this release. Raises PortalError.

    They are closed when the command ends.
    """
    services = Services.open_checked(Settings.from_env(), clock=SystemClock())
    click.get_current_context().call_on_close(services.close)
    return services


@contextmanager
def whole_databases() -> Iterator[tuple[Services, Database, Database]]:
    """Yield the services, and both databases without a limit on how long a statement may take.

    Raises SettingsError with what to do if the service's database is there and cannot be used.
    """
    settings = Settings.from_env()
    services = Services.open(settings, clock=SystemClock(), log_outages=False)
    portal = open_database(settings)
    url = TrackerSettings.from_env().database_url
    tracker = Database(url, migrations=MIGRATIONS)
    try:
        try:
            dumps.is_empty(tracker)
        except DatabaseUnavailable as error:  # otherwise the message would seem to be about the portal's database
            raise SettingsError(f"the service's database: {why(error, url, setting='TRACKER_DATABASE_URL')}") from error
        yield services, portal, tracker
    finally:
        services.close()
        portal.close()
        tracker.close()


def require_erasures(services: Services) -> None:
    """Raise SettingsError unless PORTAL_ERASURES can be used, before anything is restored."""
    folder = folder_of(services.settings.erasures or "")
    if folder and not folder.is_dir():
        raise SettingsError(
            f"nothing was done: there is no folder {folder}, which PORTAL_ERASURES names: correct it, or mount its "
            f"disk; if nobody was ever erased, make it: install -d -m 0700 {folder}"
        )
    try:
        within(_TIMEOUT, services.erasures.check)
    except StoreError as error:
        name = "PORTAL_ERASURES" if services.settings.erasures else "PORTAL_ATTACHMENTS, where erasures are"
        raise SettingsError(f"nothing was done: {name}: {error}") from error


def operator_actions(services: Services) -> OperatorActions:
    """Return the manual actions, the same as in the console."""
    return OperatorActions(
        services.database,
        services.store,
        services.seal,
        services.clock,
        scanner_enabled=services.scanner_enabled,
        upload_ttl=services.settings.upload_ttl,
    )


def migrations_of(address: str) -> Path:
    """Return the migrations of the portal's or the service's database, whichever it is; it is only read."""
    url = sa.make_url(address)
    if url.get_backend_name() != "sqlite":
        raise click.BadParameter("databases are copied from SQLite to PostgreSQL", param_hint="FROM")
    try:
        with closing(sqlite3.connect(f"{Path(str(url.database)).absolute().as_uri()}?mode=ro", uri=True)) as plain:
            tables = {name for (name,) in plain.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.Error as error:
        raise click.BadParameter(
            f"{url.database} is not there, or not an SQLite database", param_hint="FROM"
        ) from error
    if "deliveries" in tables:
        return FOLDER
    if "tallies" in tables:
        return MIGRATIONS
    raise click.BadParameter(f"{url.database} is no database of the portal or of the service", param_hint="FROM")
