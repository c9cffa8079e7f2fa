"""Reports the failure of a long-running command as a line of its log, in the same format as its other lines."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from portal.platform.config.settings import Settings
from portal.platform.database import diagnosis
from portal.platform.errors import DatabaseUnavailable, PortalError, SettingsError
from portal.platform.logs import EventName, Part, event


@contextmanager
def logging_fatal_errors(part: Part, *, status: int = 1) -> Iterator[None]:
    """Log the error that ends a command and exit with `status`; also a decorator.

    Usage errors stay plain text, with status 2.
    """
    try:
        yield
    except PortalError as error:
        event(EventName.FAILED, part=part, because=in_words(error), level=logging.CRITICAL)
        raise SystemExit(status) from error
    except OSError as error:
        failure = PortalError(f"{error.strerror or type(error).__name__} {error.filename or ''}".rstrip())
        event(EventName.FAILED, part=part, because=failure, level=logging.CRITICAL)
        raise SystemExit(status) from error


def in_words(error: PortalError) -> PortalError:
    """Return the error; for an unavailable database, one with cause and remedy, in the words of `portal check`."""
    if not isinstance(error, DatabaseUnavailable):
        return error
    return SettingsError(f"the database is unavailable: {diagnosis.why(error, Settings.from_env().database_url)}")
