"""A server on loopback with faulty behaviours, one for each request."""

import gzip
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

Behaviour = Callable[[socket.socket], bool]
"""A function called once a request was read; True keeps the connection open for another one."""


@dataclass
class Seen:
    """One request as received."""

    head: str
    body: bytes
    connection: int

    @property
    def target(self) -> str:
        return self.head.split(" ")[1]

    @property
    def headers(self) -> dict[str, str]:
        lines = self.head.split("\r\n")[1:]
        return {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}


@dataclass
class Misbehaving:
    """A faulty server: each request gets the next behaviour of `plan`; the last one repeats."""

    port: int
    plan: list[Behaviour]
    seen: list[Seen] = field(default_factory=list)
    connections: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def misbehaving(*plan: Behaviour, at_once: Behaviour | None = None) -> Iterator[Misbehaving]:
    """Run the server. at_once: called for each connection before anything is read from it."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = Misbehaving(listener.getsockname()[1], list(plan))
    threads: list[threading.Thread] = []
    opened: list[socket.socket] = []

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:  # the socket was shut down below
                return
            server.connections += 1
            opened.append(connection)
            threads.append(threading.Thread(target=_serve, args=(server, connection, server.connections, at_once)))
            threads[-1].start()

    acceptor = threading.Thread(target=accept)
    acceptor.start()
    try:
        yield server
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        acceptor.join()
        listener.close()
        for connection in opened:  # a client that keeps one open is not waited for
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join()


def answer(
    content: object = None, *, status: int = 200, headers: dict[str, str] | None = None, raw: bytes | None = None
) -> Behaviour:
    """Return a behaviour: send a well-formed response. raw: body instead of JSON. Headers given as "" are omitted."""

    def behave(connection: socket.socket) -> bool:
        body = json.dumps(content).encode() if raw is None else raw
        sent = {"Content-Type": "application/json", "Content-Length": str(len(body)), **(headers or {})}
        connection.sendall(_head(status, {k: v for k, v in sent.items() if v}) + body)
        return True

    return behave


def html(status: int = 200) -> Behaviour:
    return answer(status=status, raw=b"<!doctype html><title>Welcome</title>", headers={"Content-Type": "text/html"})


def gzip_bomb() -> Behaviour:
    bomb = gzip.compress(b"[" + b" " * 50_000_000 + b"]", compresslevel=1)
    return answer(raw=bomb, headers={"Content-Encoding": "gzip"})


def endless() -> Behaviour:
    """Return a behaviour: send a body without end."""

    def behave(connection: socket.socket) -> bool:
        connection.sendall(_head(200, {"Content-Type": "application/json"}))
        with suppress(OSError):
            while True:
                connection.sendall(b" " * 65_536)
        return False

    return behave


def truncated() -> Behaviour:
    """Return a behaviour: declare more bytes than are sent, then close the connection normally."""

    def behave(connection: socket.socket) -> bool:
        connection.sendall(_head(200, {"Content-Type": "application/json", "Content-Length": "500"}) + b'{"id": "')
        return False

    return behave


def drip(part: str, *, every: float = 0.05, headers: dict[str, str] | None = None) -> Behaviour:
    """Return a behaviour: send `part` ("head" or "body") of a valid response byte by byte, each within the timeout."""

    def behave(connection: socket.socket) -> bool:
        body = json.dumps({"stages": []}).encode() + b" " * 1_000
        sent = {"Content-Type": "application/json", "Content-Length": str(len(body)), "X-Pad": "x" * 1_000}
        head = _head(200, sent | (headers or {}))
        quick, slow = (b"", head) if part == "head" else (head, body)
        with suppress(OSError):
            connection.sendall(quick)
            for at in range(len(slow)):
                connection.sendall(slow[at : at + 1])
                time.sleep(every)
        return False

    return behave


def silence(seconds: float = 30) -> Behaviour:
    """Return a behaviour: send nothing until the client disconnects."""

    def behave(connection: socket.socket) -> bool:
        connection.settimeout(seconds)
        with suppress(OSError):
            connection.recv(1)
        return False

    return behave


def reset(after: bytes = b"") -> Behaviour:
    """Return a behaviour: send `after`, then reset the connection."""

    def behave(connection: socket.socket) -> bool:
        connection.sendall(after)
        if after:
            time.sleep(0.1)  # a reset discards what the other side has not read yet
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return False

    return behave


def hang_up(connection: socket.socket) -> bool:
    """Close the connection normally without a response."""
    return False


def says(raw: bytes) -> Behaviour:
    """Return a behaviour: send exactly these bytes."""

    def behave(connection: socket.socket) -> bool:
        connection.sendall(raw)
        return False

    return behave


def refused() -> str:
    """Return an address that refuses connections."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return f"http://127.0.0.1:{taken.getsockname()[1]}"


def _head(status: int, headers: dict[str, Any]) -> bytes:
    lines = [f"HTTP/1.1 {status} Said", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _serve(server: Misbehaving, connection: socket.socket, number: int, at_once: Behaviour | None) -> None:
    with connection, suppress(OSError):
        connection.settimeout(10)
        if at_once is not None and not at_once(connection):
            return
        while (seen := _read(connection, number)) is not None:
            server.seen.append(seen)
            behaviour = server.plan.pop(0) if len(server.plan) > 1 else server.plan[0]
            if not behaviour(connection):
                return


def _read(connection: socket.socket, number: int) -> Seen | None:
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65_536)
        if not more:
            return None
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    seen = Seen(head.decode("latin-1"), body, number)
    wanted = int(seen.headers.get("content-length", "0"))
    while len(seen.body) < wanted:
        more = connection.recv(65_536)
        if not more:
            return None
        seen.body += more
    return seen
