"""Malformed HTTP and wrong lengths are rejected or cut off at low cost by the real servers, which continue to work."""

import os
import re
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
import pytest

from portal.platform.clock import SystemClock
from tests.hostile.judging import CPU_MOST, REFUSAL_MOST, disclosed_internals
from tests.hostile.values import Statuses, one_of
from tests.journeys.server import settings
from tests.parts.process import free_port, running
from tests.tracker.office import opened

pytestmark = pytest.mark.verify

_SILENCE = 1.5
"""Seconds without a byte, after which a connection that stays open is closed here."""
NONE = 0
"""The server closed the connection without a word."""
CLOSED = one_of(NONE, 400)
READ = frozenset({NONE, *range(200, 500)})
"""Whatever it is taken for."""


@dataclass(frozen=True, slots=True)
class Raw:
    """Bytes to send, with {get} and {post} for paths of the server, and {host}.

    is_cut: the sender closes its side, because the server waits for more.
    """

    name: str
    sent: bytes
    expected: Statuses = READ
    is_cut: bool = False


def _get(*headers: bytes, target: bytes = b"{get}", version: bytes = b"HTTP/1.1") -> bytes:
    return b"\r\n".join([b"GET %b %b" % (target, version), b"Host: {host}", b"Connection: close", *headers, b"", b""])


def _post(body: bytes, *headers: bytes) -> bytes:
    kind = b"Content-Type: application/x-www-form-urlencoded"
    return b"\r\n".join([b"POST {post} HTTP/1.1", b"Host: {host}", b"Connection: close", kind, *headers, b"", body])


def _chunked(body: bytes, *headers: bytes) -> bytes:
    return _post(body, b"Transfer-Encoding: chunked", *headers)


_INNER = b"GET /metrics HTTP/1.1\r\nHost: {host}\r\nX-Forwarded-For: 127.0.0.1\r\n\r\n"
RAW = (
    Raw("tls", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500), CLOSED),
    Raw("nothing but nul", bytes(5_000), CLOSED),
    Raw("nothing but lines", b"\r\n" * 5_000, CLOSED, is_cut=True),
    Raw("bytes", bytes(range(256)) * 40, CLOSED),
    Raw("half a line", b"GET", CLOSED, is_cut=True),
    Raw("no target", b"GET HTTP/1.1\r\nHost: {host}\r\n\r\n", CLOSED),
    Raw("no version", b"GET {get}\r\nHost: {host}\r\n\r\n", CLOSED),
    Raw("version", _get(version=b"HTTP/9.9"), CLOSED),
    Raw("version in words", _get(version=b"HTTP/one"), CLOSED),
    Raw("old", b"GET {get} HTTP/1.0\r\n\r\n"),
    Raw("second version", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(50), is_cut=True),
    Raw("no host", b"GET {get} HTTP/1.1\r\nConnection: close\r\n\r\n"),
    Raw("two hosts", _get(b"Host: evil.example")),
    Raw("line feeds", _get().replace(b"\r\n", b"\n")),
    Raw("carriage returns", _get().replace(b"\r\n", b"\r"), CLOSED),
    Raw("spaces", b"GET   {get}   HTTP/1.1\r\nHost: {host}\r\n\r\n", CLOSED),
    Raw("tabs", b"GET\t{get}\tHTTP/1.1\r\nHost: {host}\r\n\r\n", CLOSED),
    Raw("method of bytes", b"\xff\xfe {get} HTTP/1.1\r\nHost: {host}\r\n\r\n", CLOSED),
    Raw("lower case", _get().replace(b"GET", b"get")),
    Raw("long method", b"X" * 20_000 + b" {get} HTTP/1.1\r\nHost: {host}\r\n\r\n"),
    Raw("nul in target", _get(target=b"{get}\0x"), CLOSED),
    Raw("bytes in target", _get(target=b"/\xff\xfe"), one_of(NONE, 400, 404)),
    Raw("bytes in query", _get(target=b"{get}?q=\xff\xfe&lang=\xe9")),
    Raw("letters in query", _get(target="{get}?q=é&lang=ü".encode())),
    Raw("encoded bytes", _get(target=b"{get}%ff%00%c0%af"), one_of(400, 404)),
    Raw("long target", _get(target=b"/" + b"x" * 30_000), one_of(NONE, 400, 404, 414, 431)),
    Raw("very long target", _get(target=b"/" + b"x" * 2_000_000), one_of(NONE, 400, 404, 414, 431)),
    Raw("another server", _get(target=b"http://evil.example{get}")),
    Raw("another scheme", _get(target=b"ftp://evil.example/")),
    Raw("only a query", _get(target=b"?q=1"), one_of(NONE, 400, 404)),
    Raw("fragment", _get(target=b"{get}#x"), READ),
    Raw("two slashes", _get(target=b"//evil.example/"), one_of(NONE, 400, 403, 404)),
    Raw("asterisk", b"OPTIONS * HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"),
    Raw("tunnel", b"CONNECT evil.example:443 HTTP/1.1\r\nHost: {host}\r\n\r\n"),
    Raw("echo", _get().replace(b"GET", b"TRACE"), one_of(404, 405, 403)),
    Raw("websocket", _get(b"Upgrade: websocket", b"Connection: Upgrade", b"Sec-WebSocket-Key: x"), is_cut=True),
    Raw("h2c", _get(b"Upgrade: h2c", b"Connection: Upgrade, HTTP2-Settings", b"HTTP2-Settings: \xff")),
    Raw("header without colon", _get(b"no colon"), CLOSED),
    Raw("header without name", _get(b": x"), CLOSED),
    Raw("space before colon", _get(b"X-Test : x"), CLOSED),
    Raw("folded header", _get(b"X-Test: a\r\n b"), READ),
    Raw("nul in header", _get(b"X-Test: a\0b"), CLOSED),
    Raw("bytes in header", _get(b"X-Test: \xff\xfe", b"Accept-Language: \xff", b"Cookie: session-acme=\xff\xfe")),
    Raw("bytes in header's name", _get(b"X-\xff: x"), CLOSED),
    Raw("long header", _get(b"X-Test: " + b"x" * 2_000_000), one_of(NONE, 400, 431)),
    Raw("long cookie", _get(b"Cookie: a=" + b"x" * 100_000), READ),
    Raw("many headers", _get(*(b"X-Test-%d: x" % number for number in range(20_000))), one_of(NONE, 400, 431)),
    Raw("one header many times", _get(*[b"Accept: text/html"] * 20_000), one_of(NONE, 400, 431)),
    Raw("two lengths", _post(b"a=b", b"Content-Length: 3", b"Content-Length: 30"), CLOSED),
    Raw("lengths in one", _post(b"a=b", b"Content-Length: 3, 30"), CLOSED),
    Raw("the same length twice", _post(b"a=b", b"Content-Length: 3, 3")),
    Raw("negative length", _post(b"a=b", b"Content-Length: -3"), CLOSED),
    Raw("length with a sign", _post(b"a=b", b"Content-Length: +3"), CLOSED),
    Raw("length in words", _post(b"a=b", b"Content-Length: three"), CLOSED),
    Raw("length in hexadecimal", _post(b"a=b", b"Content-Length: 0x3"), CLOSED),
    Raw("big length", _post(b"a=b", b"Content-Length: " + b"9" * 30), CLOSED),
    Raw("length beyond what comes", _post(b"a=b", b"Content-Length: 3000"), is_cut=True),
    Raw("length beyond any", _post(b"a=b", b"Content-Length: 9223372036854775807"), is_cut=True),
    Raw("length short of what comes", _post(b"a=b" + _INNER, b"Content-Length: 3")),
    Raw("no length", _post(b"a=b")),
    Raw("length of a get", _get(b"Content-Length: 5") + b"a=b&c"),
    Raw("length and chunks", _chunked(b"0\r\n\r\n" + _INNER, b"Content-Length: 5")),
    Raw("chunks and length", _post(b"3\r\na=b\r\n0\r\n\r\n", b"Content-Length: 3", b"Transfer-Encoding: chunked")),
    Raw("another coding", _post(b"a=b", b"Transfer-Encoding: gzip"), one_of(NONE, 400, 501)),
    Raw("chunked not last", _post(b"0\r\n\r\n", b"Transfer-Encoding: chunked, identity"), one_of(NONE, 400, 501)),
    Raw("almost chunked", _post(b"0\r\n\r\n", b"Transfer-Encoding: xchunked"), one_of(NONE, 400, 501)),
    Raw("chunked twice", _post(b"0\r\n\r\n", b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked")),
    Raw("chunked of old", _chunked(b"0\r\n\r\n").replace(b"HTTP/1.1", b"HTTP/1.0")),
    Raw("size in words", _chunked(b"three\r\na=b\r\n0\r\n\r\n")),
    Raw("negative size", _chunked(b"-3\r\na=b\r\n0\r\n\r\n")),
    Raw("big size", _chunked(b"F" * 30 + b"\r\na=b\r\n0\r\n\r\n")),
    Raw("size beyond what comes", _chunked(b"FFFF\r\na=b"), is_cut=True),
    Raw("size short of what comes", _chunked(b"1\r\na=b\r\n0\r\n\r\n")),
    Raw("no last chunk", _chunked(b"3\r\na=b\r\n"), is_cut=True),
    Raw("long extension", _chunked(b"3;" + b"x" * 500_000 + b"\r\na=b\r\n0\r\n\r\n")),
    Raw("many small chunks", _chunked(b"1\r\na\r\n" * 50_000 + b"0\r\n\r\n"), one_of(NONE, 400, 408)),
    Raw("trailers", _chunked(b"3\r\na=b\r\n0\r\n" + b"X-Test: x\r\n" * 5_000 + b"\r\n")),
    Raw("trailer of a length", _chunked(b"3\r\na=b\r\n0\r\nContent-Length: 9\r\nHost: evil.example\r\n\r\n")),
    Raw("expectation", _post(b"", b"Content-Length: 3", b"Expect: 100-continue"), is_cut=True),
    Raw("another expectation", _post(b"a=b", b"Content-Length: 3", b"Expect: 200-ok")),
    Raw("three megabytes", _post(b"a=" + b"x" * 3_000_000, b"Content-Length: 3000002")),
    Raw("one after another", _get().replace(b"Connection: close\r\n", b"") * 50),
    Raw("packed body", _post(b"\x1f\x8b\x08" + bytes(100), b"Content-Length: 103", b"Content-Encoding: gzip")),
    Raw("range", _get(b"Range: bytes=" + b"0-0," * 5_000 + b"0-1")),
    Raw("headers with an underscore", _get(b"X_Forwarded_For: 127.0.0.1", b"Content_Length: 5")),
)


@dataclass(frozen=True, slots=True)
class Server:
    name: str
    port: int
    process: psutil.Process
    log: Path
    get: bytes
    post: bytes

    def spent(self) -> float:
        """Return the CPU seconds of a server and its processes."""
        every = [self.process, *self.process.children(recursive=True)]
        return sum(sum(one.cpu_times()[:2]) for one in every)

    def answers(self) -> bool:
        return _is_well(self.port)

    def send(self, raw: Raw) -> bytes:
        """Send the bytes, and return the response until the server closes the connection or sends nothing more."""
        whole = raw.sent.replace(b"{get}", self.get).replace(b"{post}", self.post)
        whole = whole.replace(b"{host}", b"127.0.0.1:%d" % self.port)
        came = b""
        with socket.create_connection(("127.0.0.1", self.port), _SILENCE) as line:
            try:
                line.sendall(whole)
                if raw.is_cut:
                    line.shutdown(socket.SHUT_WR)
                while some := line.recv(65_536):
                    came += some
            except OSError:
                pass  # the server closed the connection early, or sends nothing
        return came


def _is_well(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/healthz", trust_env=False, timeout=5).is_success
    except httpx.HTTPError:
        return False


@contextmanager
def _served(folder: Path, env: dict[str, str], get: str, post: str, *words: str) -> Iterator[Server]:
    port = free_port()
    log = folder / f"{words[0]}.log"
    argv = [sys.executable, "-m", "portal.cli", *words, "--port", str(port)]
    with running(argv, log=log, ready=lambda: _is_well(port), env=env) as process:
        yield Server(words[0], port, psutil.Process(process.pid), log, get.encode(), post.encode())


@pytest.fixture
def servers(tmp_path: Path, portal_url: str, tracker_url: str) -> Iterator[list[Server]]:
    """Run portal, console, and the service with its hiring pages by their commands."""
    with opened(tracker_url, SystemClock()):
        pass
    env = settings(tmp_path, portal_url) | {
        "TRACKER_DATABASE_URL": tracker_url,
        "TRACKER_SECRET_KEY": "a secret of the hiring pages, 32",
        "TRACKER_MAIL": f"file:{tmp_path / 'mail'}",
        "PATH": os.environ["PATH"],
    }
    with ExitStack() as stack:
        yield [
            stack.enter_context(_served(tmp_path, env, *each))
            for each in (
                ("/acme/", "/acme/profile", "serve"),
                ("/submissions", "/tenants/acme/check", "console"),
                ("/acme/hiring", "/acme/hiring", "tracker", "serve"),
            )
        ]


@pytest.fixture
def database_kind() -> str:
    """Use one kind of database, because none of these requests reaches it."""
    return "sqlite"


def _wrong(server: Server, raw: Raw) -> Iterator[str]:
    before = server.spent()
    came = server.send(raw)
    spent = server.spent() - before
    statuses = [int(one) for one in re.findall(rb"^HTTP/1\.[01] ([2-5]\d\d)", came, re.MULTILINE)] or [NONE]
    if not set(statuses) <= raw.expected:
        yield f"is answered with {statuses}"
    if spent > CPU_MOST:
        yield f"costs {spent:.1f} s of CPU"
    if statuses[0] >= 400 and len(came) >= REFUSAL_MOST:
        yield f"is refused with {len(came)} bytes"
    if (statuses[0] >= 400 or statuses == [NONE]) and (told := disclosed_internals(came.decode("utf-8", "replace"))):
        yield f"tells of its inside: {told}"
    if not server.answers():
        yield "stops the server"


def test_malformed_requests_are_rejected_or_cut_off(servers: list[Server]):
    sent, wrong = 0, []
    for server in servers:
        for raw in RAW:
            wrong += [f"{server.name}: {raw.name} {one}" for one in _wrong(server, raw)]
            sent += 1
        log = server.log.read_text(errors="replace")
        wrong += [f"{server.name} logs {one}" for one in re.findall(r"Traceback.*|.*\bERROR\b.*|.*panicked.*", log)]
    assert wrong == []
    assert sent == len(servers) * len(RAW) > 200
