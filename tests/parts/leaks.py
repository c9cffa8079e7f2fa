"""Searches all log lines of tests, and of the processes that they start, for data that no log may contain.

That is: names of the tests' people, their addresses, numbers and codes, ids of candidates, keys of services and files.
"""

import json
import logging
import re
from pathlib import Path

_NEVER = {
    "an e-mail address": r"[\w.+-]+@[\w-]+\.\w",
    "a sign-in code": r"(?<!bytes=)(?<!tenant=)(?<!path=/)(?<![\w.:-])\d{8}(?![\w.:-]| bytes)",
    "a telephone number": r"(?<!tenant=)(?<!path=/)(?<!\w)(?:\+49 ?30|49 ?30 ?\d{5,9}(?!\w)|030 ?1234567|1234567)",
    "a name": r"\b(?:Ada|Lovelace|Augusta|Byron|Canarius|Babbage|José)\b",
    "a candidate's id": r"canary-candidate-id|\bcandidate-\d",
    "what the service makes of 192 random bits, such as a candidate's id": (
        r"(?<![\w./-])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])(?=[\w-]*\d)[\w-]{32}(?![\w./-])"
    ),
    "a service's key": r"trk_[0-9a-f]{12}_|a-key-that-opens",
    "a file's key": r"\b[a-z0-9-]{2,50}/(?=[\w-]*[A-Z])[\w-]{32}(?![\w.-])",
    "a secret of an address": r"[?&](?:key|token|to|email|q)=\w",
    "a cookie or token": r"(?i)\b(?:set-)?cookie: |x-api-key: ",
}
_LEAKS = {what: re.compile(pattern) for what, pattern in _NEVER.items()}
_OURS = ("portal", "granian", "_granian")


def leaks_in(line: str) -> list[str]:
    """Return the forbidden data in a line."""
    return [f"{what}: {line.strip()[:300]}" for what, never in _LEAKS.items() if never.search(line)]


class Witness(logging.Handler):
    """Handler of the root logger for the whole test run. It checks each record in both forms, JSON and text."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self._leaks: list[str] = []

    def install(self) -> None:
        """Attach to the root logger with the product's filters, whatever a command in this process has configured."""
        root = logging.getLogger()
        root.handlers[:] = [
            one for one in root.handlers if type(one).__module__ != "portal.platform.logs.stderr_writer"
        ]
        root.addHandler(self)  # only once
        root.setLevel(logging.WARNING)
        logging.getLogger("portal").setLevel(logging.INFO)

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.partition(".")[0] in _OURS or record.levelno >= logging.WARNING:
            from portal.platform.logs.formatting import Json, Text

            self.read(Json().format(record))
            self.read(Text().format(record))

    def read(self, line: str) -> None:
        """Check one line of either form."""
        try:
            told = json.loads(line)
        except ValueError:
            told = None
        facts = told if isinstance(told, dict) else {"line": line}
        plain = " ".join(f"{name}={value}" for name, value in facts.items() if name != "time")
        self._leaks += leaks_in(plain)
        if "leftOut" in plain:
            self._leaks.append(f"something that fits no line was logged: {plain[:300]}")

    def read_file(self, log: Path) -> None:
        """Check the output of a process."""
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
            self.read(line)

    def take(self) -> list[str]:
        """Return what was found since the last call, and reset it."""
        leaks, self._leaks = self._leaks, []
        return leaks


WITNESS = Witness()
