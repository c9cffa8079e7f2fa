"""The failure of a command that runs until it is stopped: a line of its log, like all that it says."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from portal import unreachable
from portal.errors import DatabaseUnavailable, PortalError, SettingsError
from portal.logs import Happened, Part, event
from portal.settings import Settings


@contextmanager
def failing_aloud(part: Part) -> Iterator[None]:
    """Log what ends it, and end with 1; a decorator too. Whoever typed it wrong is told in plain words, with 2."""
    try:
        yield
    except PortalError as error:
        event(Happened.FAILED, part=part, because=in_words(error), level=logging.CRITICAL)
        raise SystemExit(1) from error
    except OSError as error:
        said = PortalError(f"{error.strerror or type(error).__name__} {error.filename or ''}".rstrip())
        event(Happened.FAILED, part=part, because=said, level=logging.CRITICAL)
        raise SystemExit(1) from error


def in_words(error: PortalError) -> PortalError:
    """A database that is away is told of as `portal check` would: which part, why, and what to do."""
    if not isinstance(error, DatabaseUnavailable):
        return error
    return SettingsError(f"the database is away: {unreachable.why(error, Settings.from_env().database_url)}")
