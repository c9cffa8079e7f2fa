"""Parses log lines as operators' programs do."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from portal.platform.logs.formatting import Json


class LogReader(logging.Handler):
    """Log lines of level info or higher, parsed as JSON."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: list[dict[str, Any]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(json.loads(Json().format(record)))

    def of(self, event: str) -> list[dict[str, Any]]:
        """Return the lines of one event."""
        return [line for line in self.lines if line.get("event") == event]

    @property
    def security(self) -> list[dict[str, Any]]:
        """Return the security stream."""
        return [line for line in self.lines if line.get("stream") == "security"]

    @property
    def story(self) -> list[str]:
        """Return the events in order, without requests and security events."""
        told = [line for line in self.lines if line.get("stream") is None and line.get("event") != "answered"]
        return [line.get("event", line.get("message")) for line in told]


@contextmanager
def reading_log() -> Iterator[LogReader]:
    """Record the log lines of the block."""
    log_reader, root = LogReader(), logging.getLogger()
    root.addHandler(log_reader)
    try:
        yield log_reader
    finally:
        root.removeHandler(log_reader)
