"""Stop a process at a chosen point, so that a test can kill it there."""

import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import sqlalchemy as sa

from tests.delivery.service import Deed, Mood, Posted

_HOLDS_SQLITE = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
connection.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.read()
connection.execute("ROLLBACK")
connection.close()
"""


@contextmanager
def locked(url: str, table: str) -> Iterator[Callable[[], bool]]:
    """Lock `table` for writing within the block (SQLite: all tables); yield a check for waiting processes.

    On SQLite a separate process holds the lock, so that this one has no connection to the file."""
    address = sa.make_url(url)
    if address.get_backend_name() == "sqlite":
        with _sqlite_locked(str(address.database)):
            begun = time.monotonic()
            yield lambda: time.monotonic() > begun + 0.5  # SQLite does not report who waits for a lock
        return
    engine = sa.create_engine(address, poolclass=sa.NullPool)
    with engine.connect() as connection, connection.begin() as transaction:
        connection.execute(sa.text(f"LOCK TABLE {table} IN EXCLUSIVE MODE"))
        waiting = sa.text(
            "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = CAST(:name AS regclass)"
        ).bindparams(name=table)

        def another_process_waits() -> bool:
            return connection.execute(waiting).scalar_one() > 0

        yield another_process_waits
        transaction.rollback()


@contextmanager
def _sqlite_locked(path: str) -> Iterator[None]:
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLDS_SQLITE, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdin
    assert holder.stdout
    try:
        assert holder.stdout.readline() == b"locked\n"
        yield
    finally:
        holder.stdin.close()
        holder.wait(40)
        holder.stdout.close()


@dataclass
class Gate:
    """Blocks the first request inside the service until `open` is called."""

    then: Deed
    later: Mood
    takes_first: bool
    arrived: threading.Event = field(default_factory=threading.Event)
    opened: threading.Event = field(default_factory=threading.Event)

    def mood(self, one: Posted) -> Deed:
        if self.opened.is_set():
            return self.later(one)

        def wait(connection: socket.socket) -> bool:
            self.arrived.set()
            self.opened.wait(20)
            with suppress(OSError):
                self.then.says(connection)
            return False

        if not self.takes_first:
            self.arrived.set()
            self.opened.wait(20)
            return Deed(takes=False, says=self.then.says)
        return Deed(takes=True, says=wait)


@dataclass
class Scanner:
    """clamd's protocol on loopback; while `hanging` is set it does not respond to a file."""

    port: int
    hanging: threading.Event = field(default_factory=threading.Event)
    asked: threading.Event = field(default_factory=threading.Event)

    def serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            command = b""
            while not command.endswith(b"\0"):
                command += connection.recv(1)
            while True:
                (size,) = struct.unpack("!I", _exactly(connection, 4))
                if size == 0:
                    break
                _exactly(connection, size)
            self.asked.set()
            while self.hanging.is_set():
                time.sleep(0.02)
            connection.sendall(b"stream: OK\0")


def _exactly(connection: socket.socket, size: int) -> bytes:
    found = b""
    while len(found) < size:
        more = connection.recv(size - len(found))
        if not more:
            raise ConnectionResetError
        found += more
    return found


@contextmanager
def scanner() -> Iterator[Scanner]:
    """Run a scanner that finds nothing."""
    listener = socket.create_server(("127.0.0.1", 0))
    made = Scanner(listener.getsockname()[1])

    def accept() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=made.serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield made
    finally:
        made.hanging.clear()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
