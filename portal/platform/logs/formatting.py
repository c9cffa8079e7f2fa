"""Formats a record as a line: one JSON object, or text; the same facts in both.

Of an exception only type and place are written: its message and its traceback may be personal. For the same reason a
library's line is its template without the arguments.
"""

import json
import logging
import os
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache

from portal.platform.errors import DatabaseUnavailable, PortalError, error_location
from portal.platform.logs import request
from portal.platform.logs.allowed_fields import Fact, StructuredMessage, in_words

_OURS = ("portal.", "_granian", "granian")
_MOST = 2_000
"""Maximum characters of a message: a line is written in one piece, and a pipe takes up to 4,096 bytes at once."""
written = json.JSONEncoder(ensure_ascii=True, separators=(", ", ": ")).encode
"""Encodes an object as one line of JSON."""


class Form(StrEnum):
    """Values of PORTAL_LOG."""

    TEXT = "text"
    JSON = "json"


class Json(logging.Formatter):
    """Formatter that writes one object per line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return exactly one line: characters that would break it are escaped."""
        line: dict[str, Fact] = {"time": _time(record), "pid": os.getpid(), "level": record.levelname.lower()}
        message = structured_message_of(record)
        if message is not None:
            line["event"] = message.event
            line.update(message.facts())
        else:
            line["logger"] = record.name
            if answered := request.current():
                line["request"] = answered
            line["message"] = _message(record)
        return written(line)


class Text(logging.Formatter):
    """Formatter for a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line: control characters are escaped."""
        message, answered = structured_message_of(record), request.current()
        if message is not None:
            text = in_words(message)
        else:
            text = f"{record.name}: {_message(record)}" + (f" request={answered}" if answered else "")
        shown = "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
        return f"{_time(record)} {os.getpid()} {record.levelname.lower()} {shown}"


def formatter(form: Form) -> logging.Formatter:
    """Return the formatter of this form."""
    return Json() if form is Form.JSON else Text()


def is_news(record: logging.LogRecord) -> bool:
    """Return whether a line reports more than an outage that outage_log has logged: by the errors in its arguments."""
    args = record.args if isinstance(record.args, tuple) else ()
    return not any(isinstance(one, PortalError) and _is_logged_outage(one) for one in args)


def _is_logged_outage(error: PortalError) -> bool:
    return error.already_logged or isinstance(error, DatabaseUnavailable)


def structured_message_of(record: logging.LogRecord) -> StructuredMessage | None:
    """Return the structured message of a record; None if it is plain text."""
    message: object = record.msg  # at runtime it may be any object
    return message if isinstance(message, StructuredMessage) else None


def _message(record: logging.LogRecord) -> str:
    is_ours = record.name.startswith(_OURS) or record.name == "portal"
    message = record.getMessage() if is_ours else str(record.msg)
    if record.exc_info and record.exc_info[1] is not None:
        message = f"{message}: {error_location(record.exc_info[1])}"
    return message[:_MOST]


def _time(record: logging.LogRecord) -> str:
    return time_of(record.created)


def time_of(created: float) -> str:
    """Format seconds since the epoch as in a line: UTC, to the millisecond."""
    second, rest = divmod(created, 1)
    return f"{_second(int(second))}.{int(rest * 1_000):03d}Z"


@lru_cache(maxsize=4)
def _second(timestamp: int) -> str:
    """Format a second; cached for all its lines."""
    return datetime.fromtimestamp(timestamp, UTC).strftime("%Y-%m-%dT%H:%M:%S")
