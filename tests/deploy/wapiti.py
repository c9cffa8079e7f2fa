"""wapiti as a program of its own, which reaches no other machine: names lead to ports of this one, or nowhere."""

import json
import os
import secrets
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer

from tests.parts.missing import file

SECONDS = float(os.environ.get("ATTACK_SECONDS", "5"))
"""For each module at each target."""
NOT_RUN = {
    "htp": "compares files with a database that it downloads, of which no package exists; it names software only",
    "https_redirect": "connects by itself, past the proxy; the observatory follows the redirect in a test of its own",
    "log4shell": "asks a name server of its makers what Log4j looked up; the product has no Java in it",
    "nikto": "downloads its list of paths, of which no package exists; `buster` and `backup` try paths of their own",
    "ssl": "connects by itself, past the proxy; test_tls_is_what_mozilla_recommends scans TLS with sslyze",
    "takeover": "asks public name servers for subdomains; which there are is the operator's, not the product's",
    "wapp": "compares with a database that it downloads, of which no package exists; it names software only",
}
"""Modules that cannot run without the internet, and why that is no loss."""


def program() -> str:
    """Return the path of wapiti, which only `make soak` installs."""
    return str(file(Path(sys.prefix) / "wapiti/bin/wapiti", how="python tools/install_parts.py wapiti"))


def modules() -> set[str]:
    """Return the names of all modules that this version has."""
    listed = subprocess.run([program(), "--list-modules"], capture_output=True, text=True, timeout=120, check=True)
    return {line.split()[0] for line in listed.stdout.splitlines() if line.startswith("\t") and line[1:2].strip()}


@dataclass
class Report:
    """What a scan found. attacked: URLs it knew of. log: what it printed."""

    found: list[str]
    attacked: int
    log: str


def scan(home: Path, proxy: "Proxy", url: str, only: Sequence[str], *more: str, trusted: Path | None = None) -> Report:
    """Crawl from the URL, attack what was found with these modules, and return the report."""
    home.mkdir()
    with _endpoint() as (port, reached):
        proxy.ports[f"127.0.0.1:{port}"] = port
        command = [program(), "-u", url, "-m", ",".join(only), "-f", "json", "-o", str(home / "report.json")]
        command += ["--proxy", f"http://127.0.0.1:{proxy.port}", "--verify-ssl", "1"]
        command += ["--endpoint", f"http://127.0.0.1:{port}/", "--dns-endpoint", "localhost"]
        command += ["--store-session", str(home / "session"), "--store-config", str(home / "config"), "--no-bugreport"]
        command += ["--max-attack-time", str(SECONDS), "--max-scan-time", str(6 * SECONDS), "-t", "60"]
        command += ["--max-files-per-dir", "12", "-dr", "1", "-v", "1", *more]
        environment = {**os.environ, "HOME": str(home), **({"SSL_CERT_FILE": str(trusted)} if trusted else {})}
        limit = 60 * SECONDS + 600
        done = subprocess.run(
            command, env=environment, cwd=home, capture_output=True, text=True, timeout=limit, check=False
        )
    assert (home / "report.json").is_file(), done.stdout[-3_000:] + done.stderr[-3_000:]
    report = json.loads((home / "report.json").read_text(encoding="utf-8"))
    found = [
        f"{one['module']}: {name}: {one['method']} {one['path']} {one['parameter']}: {one['info']}\n"
        f"{one['http_request']}"
        for kind in ("vulnerabilities", "anomalies", "additionals")
        for name, several in report[kind].items()
        for one in several
    ]
    found += [f"requested from outside: {one}" for one in reached]
    return Report(found, report["infos"]["crawled_pages_nbr"], done.stdout + done.stderr)


@contextmanager
def _endpoint() -> Iterator[tuple[int, list[str]]]:
    """Run what a request forged through the server would reach; return its port, and what has reached it."""
    reached: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if "/get_" not in self.path:  # wapiti's own question what has arrived
                reached.append(self.requestline)
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        do_POST = do_PUT = do_HEAD = do_GET  # noqa: N815  names of the standard library

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1], reached
        server.shutdown()


@dataclass
class Proxy:
    """A forward proxy. ports: where host:port leads. Each connection comes from a network of its own.

    Otherwise rate limits would refuse most of the attack. refused: what else was asked for.
    """

    ports: dict[str, int]
    port: int = 0
    refused: set[str] = field(default_factory=set)

    def serve(self, near: socket.socket) -> None:
        """Read where the connection is to lead, and relay it until one side closes it."""
        head = b""
        while b"\r\n\r\n" not in head:
            if not (data := near.recv(65_536)):
                return
            head += data
        method, target, _ = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ", 2)
        place = target if method == "CONNECT" else target.split("/")[2]
        host, _, number = place.partition(":")
        port = self.ports.get(place if number else f"{host}:80")
        if port is None:
            self.refused.add(place)
            near.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return
        network = f"127.{1 + secrets.randbelow(250)}.{secrets.randbelow(250)}.1"
        with socket.create_connection(("127.0.0.1", port), source_address=(network, 0)) as far:
            if method == "CONNECT":
                near.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            else:
                far.sendall(head)
            back = threading.Thread(target=_carry, args=(far, near), daemon=True)
            back.start()
            _carry(near, far)
            back.join()


def _carry(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError):
        while data := one.recv(65_536):
            other.sendall(data)
    with suppress(OSError):
        other.shutdown(socket.SHUT_RDWR)


@contextmanager
def proxy(ports: dict[str, int]) -> Iterator[Proxy]:
    """Run the proxy within the block."""
    made = Proxy(ports)

    class Handler(StreamRequestHandler):
        def handle(self) -> None:
            with suppress(OSError):
                made.serve(self.connection)

    class Server(ThreadingTCPServer):
        daemon_threads = True
        block_on_close = False

    with Server(("127.0.0.1", 0), Handler) as server:
        made.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield made
        server.shutdown()
