"""Sets up logging, once a process: every logger, warning and uncaught exception in one form, to standard error."""

import atexit
import logging
import sys
import threading
import warnings
from types import TracebackType
from typing import TextIO

from portal.platform.errors import error_location
from portal.platform.logs.formatting import Form, formatter, is_news
from portal.platform.logs.stderr_writer import StderrHandler

log = logging.getLogger("portal.process")

CHATTY = ("httpx", "httpcore", "botocore", "alembic")
"""Libraries whose lines hold URLs with ids, or nothing that an operator needs."""


def configure_logging(form: Form | None) -> None:
    """Set up logging. form: None means text on a terminal, else JSON. Replaces any earlier configuration."""
    outlet = StderrHandler()
    outlet.addFilter(is_news)
    outlet.setFormatter(formatter(form or (Form.TEXT if sys.stderr.isatty() else Form.JSON)))
    atexit.register(outlet.flush)  # logging's own exit hook forgets handlers once the server configures its loggers
    # These fields are unused, and each costs a call per line.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    root = logging.getLogger()
    root.handlers[:] = [outlet]
    root.setLevel(logging.INFO)
    for chatty in CHATTY:
        logging.getLogger(chatty).setLevel(logging.WARNING)
    logging.getLogger("psycopg").setLevel(logging.ERROR)  # its warnings are also raised, and logged by the portal
    warnings.showwarning = _warned
    sys.excepthook = _uncaught
    threading.excepthook = _uncaught_in_thread
    sys.unraisablehook = _unraisable


SERVER = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {},
    "handlers": {},
    "loggers": {"_granian": {"propagate": True}, "granian.access": {"level": "WARNING", "propagate": True}},
}
"""The server's own lines go where all others go (a configuration for logging.config)."""


def _warned(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,  # noqa: ARG001  the signature of warnings.showwarning
    line: str | None = None,  # noqa: ARG001  as above
) -> None:
    """Log a warning without its message, which may hold data; category and place are enough to find it."""
    del message
    log.warning("%s at %s:%d", category.__name__, filename, lineno)


def _uncaught(_kind: type[BaseException], error: BaseException, _trace: TracebackType | None) -> None:
    if isinstance(error, KeyboardInterrupt):
        return
    log.critical("uncaught: %s", error_location(error))


def _uncaught_in_thread(failure: threading.ExceptHookArgs) -> None:
    if failure.exc_value is not None:
        log.critical(
            "uncaught in thread %s: %s",
            failure.thread.name if failure.thread else "?",
            error_location(failure.exc_value),
        )


def _unraisable(failure: "sys.UnraisableHookArgs") -> None:
    if failure.exc_value is not None:
        log.error("ignored: %s", error_location(failure.exc_value))
