"""The malware scanner: ClamAV's clamd, over TCP or a Unix socket.

A file counts as clean only if clamd explicitly says so. clamd has to be set to alert on exceeded limits
(`AlertExceedsMax yes`), because otherwise it reports files as clean that it did not scan completely.
"""

import io
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Protocol

from portal.platform.errors import Infected, ScannerUnavailable, SettingsError

_CHUNK = 64 * 1024
_CONNECT_TIMEOUT = 5.0
_SCAN_TIMEOUT = 60.0
_PING_TIMEOUT = 5.0
_MAX_ANSWER = 4_096
# The standard harmless test file, in two pieces, so that scanners do not report this module.
_TEST_FILE = b"X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR" + b"-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"


class Scanner(Protocol):
    """Checks whether a file is known malware."""

    def scan(self, body: BinaryIO) -> None:
        """Return if the file is clean. Raises Infected, or ScannerUnavailable if there is no result."""

    def ping(self) -> None:
        """Raise ScannerUnavailable unless the scanner responds."""

    def check(self) -> None:
        """Raise ScannerUnavailable unless the scanner responds and recognises the EICAR test file."""


def open_scanner(address: str) -> Scanner | None:
    """Return the scanner for `clamd:HOST:PORT` or `clamd:/PATH/TO.sock`; None for `off`. Connects to nothing yet."""
    if address == "off":
        return None
    kind, _, where = address.partition(":")
    if kind == "clamd" and where.startswith("/"):
        return Clamd(where)
    host, _, port = where.rpartition(":")
    if kind == "clamd" and host and port.isascii() and port.isdigit():
        return Clamd((host.strip("[]"), int(port)))
    raise SettingsError("PORTAL_SCANNER: expected off, clamd:HOST:PORT or clamd:/PATH")


class Clamd:
    """clamd at a host and port, or at the path of a Unix socket. timeout: seconds without a response."""

    def __init__(self, where: str | tuple[str, int], *, timeout: float = _SCAN_TIMEOUT) -> None:
        self._where = where
        self._timeout = timeout

    def scan(self, body: BinaryIO) -> None:
        """Send the bytes with INSTREAM and read the result."""
        with self._connected() as connection:
            try:
                connection.sendall(b"zINSTREAM\0")
                while chunk := body.read(_CHUNK):
                    connection.sendall(struct.pack("!I", len(chunk)) + chunk)
                connection.sendall(struct.pack("!I", 0))
            except (BrokenPipeError, ConnectionResetError):
                raise _cut_off() from None
            answer = _answer(connection)
        if answer == "stream: OK":
            return
        if answer.startswith("stream: ") and answer.endswith(" FOUND"):
            raise Infected(f"the scanner found {answer.removeprefix('stream: ').removesuffix(' FOUND')}")
        if "size limit exceeded" in answer:
            raise _cut_off()
        raise ScannerUnavailable("the scanner gave no verdict: see clamd's log")

    def ping(self) -> None:
        """Send PING: unlike a test file, it leaves no finding in clamd's log each time."""
        with self._connected() as connection:
            connection.settimeout(min(self._timeout, _PING_TIMEOUT))
            connection.sendall(b"zPING\0")
            if _answer(connection) != "PONG":
                raise ScannerUnavailable("what answers at PORTAL_SCANNER is not clamd")

    def check(self) -> None:
        """Ping clamd and have it find the test file: a scanner without signatures reports everything as clean."""
        self.ping()
        try:
            self.scan(io.BytesIO(_TEST_FILE))
        except Infected:
            return
        raise ScannerUnavailable("the scanner does not recognise the EICAR test file: run freshclam, restart clamd")

    @contextmanager
    def _connected(self) -> Iterator[socket.socket]:
        try:
            with self._connect() as connection:
                connection.settimeout(self._timeout)
                yield connection
        except OSError as exc:
            raise ScannerUnavailable(
                f"the scanner is not responding ({type(exc).__name__}): check that clamd is running at PORTAL_SCANNER"
            ) from exc

    def _connect(self) -> socket.socket:
        if isinstance(self._where, tuple):
            return socket.create_connection(self._where, timeout=_CONNECT_TIMEOUT)
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(_CONNECT_TIMEOUT)
        try:
            connection.connect(self._where)
        except OSError:
            connection.close()
            raise
        return connection


def _answer(connection: socket.socket) -> str:
    received = b""
    while not received.endswith(b"\0") and len(received) < _MAX_ANSWER:
        if not (piece := connection.recv(_MAX_ANSWER)):
            break
        received += piece
    if not received.endswith(b"\0"):  # the answer is incomplete, so "stream: OK" may not be all of it
        raise ScannerUnavailable("the scanner's answer was cut off: see clamd's log")
    return received[:-1].decode("utf-8", "replace")


def _cut_off() -> ScannerUnavailable:
    return ScannerUnavailable(
        "the scanner broke off the transfer: set clamd's StreamMaxLength above PORTAL_MAX_CV_BYTES"
    )
