"""Search engines that listen on a real socket, and a company that notifies them of its jobs."""

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

from portal.jobs.pushes.search_engines import SearchEngineUrls
from portal.worker import WorkerThreads
from tests.site.browse.jobs import Careers

KEY = "0123456789abcdef"


@dataclass
class SearchEngines:
    """Received requests: (path, headers, body). answers: path → (status, headers), 200 where there is none."""

    port: int
    came: list[tuple[str, dict[str, str], str]] = field(default_factory=list)
    answers: dict[str, tuple[int, dict[str, str]]] = field(default_factory=dict)

    @property
    def engines(self) -> SearchEngineUrls:
        at = f"http://127.0.0.1:{self.port}"
        return SearchEngineUrls(index_now=f"{at}/indexnow", google=f"{at}/publish")

    def bodies(self, path: str) -> list[dict[str, Any]]:
        """Return the JSON bodies received there, in order, and clear them."""
        found = [json.loads(body) for at, _, body in self.came if at == path]
        self.came[:] = [one for one in self.came if one[0] != path]
        return found

    def told_google(self) -> list[tuple[str, str]]:
        return sorted((one["type"], one["url"].rpartition("/")[2]) for one in self.bodies("/publish"))

    def told_index_now(self) -> list[str]:
        return sorted(url.rpartition("/")[2] for one in self.bodies("/indexnow") for url in one["urlList"])


@contextmanager
def run_search_engines(port: int = 0) -> Iterator[SearchEngines]:
    class Engine(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            heard.came.append((self.path, dict(self.headers), body))
            status, headers = heard.answers.get(self.path, (200, {}))
            said = json.dumps({"access_token": f"token-{len(heard.came)}"}).encode() if self.path == "/token" else b""
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(said))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Engine)
    heard = SearchEngines(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield heard
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@cache
def private_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65_537, key_size=2048)


def unusable_key(kind: str) -> str:
    """A private_key that RS256 cannot sign with."""
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    if kind == "elliptic":
        key = ec.generate_private_key(ec.SECP256R1())
        return key.private_bytes(pem, pkcs8, serialization.NoEncryption()).decode()
    if kind == "public":
        public = private_key().public_key()
        return public.public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo).decode()
    if kind == "encrypted":
        return private_key().private_bytes(pem, pkcs8, serialization.BestAvailableEncryption(b"word")).decode()
    return ""


def account_file(folder: Path, port: int) -> Path:
    pem = private_key().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    account = {
        "type": "service_account", "client_email": "jobs@acme.example", "private_key": pem.decode(),
        "token_uri": f"http://127.0.0.1:{port}/token",
    }  # fmt: skip
    file = folder / "google.json"
    file.write_text(json.dumps(account), encoding="utf-8")
    return file


def claims(body: str) -> dict[str, Any]:
    """Return the claims of the assertion in a token request, whose signature is checked."""
    said = parse_qs(body)
    assert said["grant_type"] == ["urn:ietf:params:oauth:grant-type:jwt-bearer"]
    signed, _, signature = said["assertion"][0].rpartition(".")
    private_key().public_key().verify(_decoded(signature), signed.encode(), padding.PKCS1v15(), hashes.SHA256())
    header, payload = (json.loads(_decoded(part)) for part in signed.split("."))
    assert header == {"alg": "RS256", "typ": "JWT"}
    return dict(payload)


def _decoded(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


@dataclass
class PushScene:
    """A company whose worker finds changes and sends notifications."""

    acme: Careers
    heard: SearchEngines

    def __post_init__(self) -> None:
        self.acme.portal.work = WorkerThreads(self.acme.portal.parts, self.heard.engines)

    def notify(self) -> None:
        self.acme.portal.work.queue_pushes()
        self.acme.portal.work.deliver_what_is_due()

    def publish(self, *lines: str) -> None:
        self.acme.publish(*lines)
        self.notify()
