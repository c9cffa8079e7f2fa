"""A record as a line: one JSON object, or text to read; the same facts in both.

Of an exception only type and place are written: its words, and a traceback's, may be personal. Of a library's line the
template stands without what was put into it, for the same reason.
"""

import json
import logging
import os
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache

from portal.errors import DatabaseUnavailable, PortalError, place_of
from portal.logs import request
from portal.logs.facts import Fact, Told, in_words

_OURS = ("portal.", "_granian", "granian")
_MOST = 2_000
"""Characters of a message: a line is written in one piece, which a pipe takes up to 4,096 bytes."""
_written = json.JSONEncoder(ensure_ascii=True, separators=(", ", ": ")).encode


class Form(StrEnum):
    """What PORTAL_LOG may say."""

    TEXT = "text"
    JSON = "json"


class Json(logging.Formatter):
    """One object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """Never more than one line: what could break it is written as an escape."""
        line: dict[str, Fact] = {"time": _time(record), "pid": os.getpid(), "level": record.levelname.lower()}
        told = told_by(record)
        if told is not None:
            line["event"] = told.event
            line.update(told.facts())
        else:
            line["logger"] = record.name
            if answered := request.current():
                line["request"] = answered
            line["message"] = _message(record)
        return _written(line)


class Text(logging.Formatter):
    """For a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """One line: a control character is written as an escape."""
        told, answered = told_by(record), request.current()
        if told is not None:
            said = in_words(told)
        else:
            said = f"{record.name}: {_message(record)}" + (f" request={answered}" if answered else "")
        shown = "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in said)
        return f"{_time(record)} {os.getpid()} {record.levelname.lower()} {shown}"


def formatter(form: Form) -> logging.Formatter:
    """What writes this form."""
    return Json() if form is Form.JSON else Text()


def is_news(record: logging.LogRecord) -> bool:
    """Whether a line says more than that a part is away, of which it was given the error: absence tells that."""
    args = record.args if isinstance(record.args, tuple) else ()
    return not any(isinstance(one, PortalError) and _is_told(one) for one in args)


def _is_told(error: PortalError) -> bool:
    return error.is_told or isinstance(error, DatabaseUnavailable)


def told_by(record: logging.LogRecord) -> Told | None:
    """The event, sighting or request that a record tells of; None for one that is only a text."""
    told: object = record.msg  # whatever logging's types say, any object may be there
    return told if isinstance(told, Told) else None


def _message(record: logging.LogRecord) -> str:
    is_ours = record.name.startswith(_OURS) or record.name == "portal"
    message = record.getMessage() if is_ours else str(record.msg)
    if record.exc_info and record.exc_info[1] is not None:
        message = f"{message}: {place_of(record.exc_info[1])}"
    return message[:_MOST]


def _time(record: logging.LogRecord) -> str:
    second, rest = divmod(record.created, 1)
    return f"{_second(int(second))}.{int(rest * 1_000):03d}Z"


@lru_cache(maxsize=4)
def _second(timestamp: int) -> str:
    """Once for all lines of a second."""
    return datetime.fromtimestamp(timestamp, UTC).strftime("%Y-%m-%dT%H:%M:%S")
